import type { Incident } from '@culprit/contract/incidents/incidents';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, changed, DAY, DEP, EXR, type SentEvent } from './incidents-fixtures.ts';

/**
 * Each key of the query language among sixty incidents (docs/contract/team-workflow.md 1.1): a value that fits some, one
 * that fits none, both negated, and two by comma. What fits follows from the number by which each incident was made.
 */

const COUNT = 60;
const NUMBERS = Array.from({ length: COUNT }, (_, n) => n);
const SERVICES = ['api', 'web', 'jobs'];
const RELEASES = ['1.4.0', '1.4.1', '2.0.0', 'c0ffee1'];
const FOLDERS = ['cart', 'money', 'mail'];
const STATUSES = [500, 502, 404, 429];

let culprit: TestCulprit;
let client: IncidentClient;
/** By the number of each. */
let incidents: Incident[];

/** Digits are left out of the fingerprint. */
const lettersOf = (n: number) =>
  [...String(n).padStart(2, '0')].map((digit) => 'ghijklmnop'[Number(digit)]).join('');

/** The one of a list with this number. */
const at = <Item>(list: readonly Item[], n: number): Item => list[n % list.length] as Item;

function eventOf(n: number): SentEvent {
  const name = `${n % 2 === 0 ? 'Http' : 'Io'}${n % 4 === 0 ? 'Timeout' : 'Failure'}${lettersOf(n)}`;
  const file = `/srv/app/src/${at(FOLDERS, n)}/${lettersOf(n)}.${n % 5 === 0 ? 'ts' : 'js'}`;
  const sent = EXR(
    {
      timestamp: ago(n % 6 === 0 ? 3 * DAY : 0),
      service: { name: at(SERVICES, n), environment: n % 2 === 0 ? 'production' : 'staging-eu' },
      context: {
        release: at(RELEASES, n),
        user: { id: `user-${n % 7}` },
        tags: { tenant: `tenant-${n % 8}`, ...(n % 9 === 0 ? { flag: true } : {}) },
        ...(n % 10 === 0 ? { severity: 'critical' } : {}),
      },
      payload: {
        error_class: name,
        message: `order of ${at(['blue', 'green', 'red'], n)} ${lettersOf(n)} was lost`,
        stacktrace: `${name}: lost\n    at place${lettersOf(n)} (${file}:10:5)`,
      },
    },
    { path: `/v${n % 3}/${at(FOLDERS, n)}/${n + 1000}` },
    { status_code: at(STATUSES, n) },
  );
  return n % 11 === 0 ? changed(sent, { context: { user: {} } }) : sent;
}

beforeAll(async () => {
  culprit = await shareCulprit();
  client = await connect(culprit, { plan: 'team' });
  const { memberToken, projectId, userId } = client.project;
  await client.send(...SERVICES.map((name) => DEP({ service: { name } })));
  await client.send(...NUMBERS.map(eventOf));
  await client.counted(...NUMBERS.map(() => 1));
  // The first five occur once more, and three users have the third.
  await client.send(
    ...[0, 1, 2, 3, 4].map(eventOf),
    changed(eventOf(2), { context: { user: { id: 'other' } } }),
  );
  await client.settled();
  const all = await client.list({ project_id: projectId });
  const numberOf = ({ title }: Incident) =>
    NUMBERS.find((n) => title.includes(` ${lettersOf(n)} was lost`)) ?? -1;
  const idsOf = (isOne: (n: number) => boolean) =>
    all.filter((each) => isOne(numberOf(each))).map((each) => each.incident_id);
  const done = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBe(200);
  const api = managementClient(culprit, memberToken);
  await done(client.post('/v1/incidents/resolve', { incident_ids: idsOf((n) => n % 5 === 0) }));
  await done(
    client.post('/v1/incidents/snooze', {
      incident_ids: idsOf((n) => n % 5 === 1),
      until: new Date(Date.now() + DAY).toISOString(),
    }),
  );
  const set = (isOne: (n: number) => boolean, what: object) =>
    done(api.patch('/v1/incidents', { incident_ids: idsOf(isOne), set: what }));
  await set((n) => n % 7 === 2, { assignee: { user_id: userId } });
  const made = await api.post(`/v1/projects/${projectId}/teams`, { slug: 'night', name: 'Night' });
  const team = isJsonObject(made.body) && isJsonObject(made.body.team) ? made.body.team.team_id : null;
  await done(api.post(`/v1/projects/${projectId}/teams/${team}/members/${userId}`));
  await set((n) => n % 7 === 3, { assignee: { team_id: team } });
  await set((n) => n % 7 === 4, { priority: 'low' });
  // One that is resolved comes back, and another is spiking.
  await client.resolve(idsOf((n) => n === 10)[0] ?? '');
  await client.send(eventOf(10));
  await client.settled();
  const spiking = idsOf((n) => n === 6).map((id) => `'${parseId(['inc'], id)}'`);
  await culprit.database.script(
    `update incidents set spike_detected_at = culprit_now() where incident_id in (${spiking.join()})`,
  );
  const after = await client.list({ project_id: projectId });
  incidents = after.toSorted((a, b) => numberOf(a) - numberOf(b));
  expect(incidents.map(numberOf)).toEqual(NUMBERS);
});
afterAll(() => culprit.stop());

type Fits = (n: number, incident: Incident) => boolean;

const isActive: Fits = (_, { status }) => status !== 'resolved';
const rank = (words: readonly string[], word: string) => words.indexOf(word);
const SEVERITY_WORDS = ['low', 'medium', 'high', 'critical'];
const PRIORITY_WORDS = ['low', 'normal', 'high', 'urgent'];

const CASES: readonly [
  key: string,
  value: string,
  fits: Fits,
  other: string,
  fitsOther: Fits,
  none: string | null,
][] = [
  ['is', 'open', (_, { status }) => status === 'open', 'regressed', (n) => n === 10, null],
  ['is', 'resolved', (_, { status }) => status === 'resolved', 'snoozed', (n) => n % 5 === 1, null],
  ['is', 'active', isActive, 'spiking', (n) => n === 6, null],
  ['is', 'assigned', (n) => [2, 3].includes(n % 7), 'mine', (n) => [2, 3].includes(n % 7), null],
  ['is', 'unassigned', (n) => ![2, 3].includes(n % 7), 'new', (n) => n % 6 !== 0, null],
  [
    ...(['severity', 'critical', (_, { severity }) => severity === 'critical'] as [string, string, Fits]),
    ...(['<=medium', (_, { severity }) => rank(SEVERITY_WORDS, severity) <= 1, '<low'] as [
      string,
      Fits,
      string,
    ]),
  ],
  [
    ...(['priority', '>=high', (_, { triage }) => rank(PRIORITY_WORDS, triage.priority.level) >= 2] as [
      string,
      string,
      Fits,
    ]),
    ...(['low', (_, { triage }) => triage.priority.level === 'low', '>urgent'] as [string, Fits, string]),
  ],
  ['service', 'api', (n) => n % 3 === 0, 'jo*', (n) => n % 3 === 2, 'ap'],
  ['env', 'production', (n) => n % 2 === 0, 'staging*', (n) => n % 2 === 1, 'staging'],
  ['assignee', 'me', (n) => n % 7 === 2, 'night', (n) => n % 7 === 3, 'someone'],
  ['assignee', 'none', (n) => ![2, 3].includes(n % 7), 'me', (n) => n % 7 === 2, 'nights'],
  ['team', 'night', (n) => n % 7 === 3, 'day', () => false, 'nigh'],
  ['tag.tenant', 'tenant-1', (n) => n % 8 === 1, 'tenant-2', (n) => n % 8 === 2, 'tenant'],
  ['tag.flag', '*', (n) => n % 9 === 0, 'true', (n) => n % 9 === 0, 'false'],
  ['tag.http.status', '502', (n) => n % 4 === 1, '404', (n) => n % 4 === 2, '50'],
  ['release', '1.4.0', (n) => n % 4 === 0, '1.*', (n) => n % 4 < 2, '1.4'],
  ['release', 'first:2.0.0', (n) => n % 4 === 2, 'latest:c0ff*', (n) => n % 4 === 3, 'first:2.0'],
  ['user', 'user-3', (n) => n % 11 !== 0 && n % 7 === 3, 'other', (n) => n === 2, 'user'],
  ['type', 'HttpTimeout', (n) => n % 4 === 0, 'IoFailure', (n) => n % 2 === 1, 'Http*Failing'],
  ['message', 'green', (n) => n % 3 === 1, '"of red"', (n) => n % 3 === 2, 'reen'],
  ['title', '"of blue"', (n) => n % 3 === 0, 'green', (n) => n % 3 === 1, 'black'],
  ['file', 'src/money/**', (n) => n % 3 === 1, '*.ts', (n) => n % 5 === 0, 'src/*.ts'],
  ['file', 'mail', (n) => n % 3 === 2, '**/src/cart/*', (n) => n % 3 === 0, 'ail'],
  ['function', `place${lettersOf(7)}`, (n) => n === 7, 'place*', () => true, 'Place'],
  ['route', '/v1/money/:id', (n) => n % 3 === 1, '/v2/*', (n) => n % 3 === 2, '/v1/money'],
  ['http', '404', (n) => n % 4 === 2, '5xx', (n) => n % 4 < 2, '3xx'],
  ['kind', 'backend_exception', () => true, 'error_log', () => false, 'request_failure'],
  ['trust', 'server', () => true, 'mixed', () => false, 'browser'],
  ['count', '>1', (n) => n < 5 || n === 10, '1', (n) => n >= 5 && n !== 10, '>9'],
  [
    ...(['users', '0', (n) => n % 11 === 0] as [string, string, Fits]),
    ...(['>=2', (n) => n === 2, '>9'] as [string, Fits, string]),
  ],
  ['first_seen', '<2d', (n) => n % 6 !== 0, '>2d', (n) => n % 6 === 0, '>9d'],
  ['last_seen', `>=${ago(DAY).slice(0, 16)}Z`, (n) => n % 6 !== 0, '>2d', (n) => n % 6 === 0, '<0m'],
  ['project', 'elsewhere', () => false, '*', () => true, 'else*'],
];

it.each(CASES)('%s:%s', async (key, value, fits, other, fitsOther, none) => {
  const project_id = client.project.projectId;
  const found = async (q: string) => {
    const ids = new Set((await client.list({ q, project_id })).map((each) => each.incident_id));
    return incidents.flatMap((each, n) => (ids.has(each.incident_id) ? n : []));
  };
  const among = (isOne: Fits) => incidents.flatMap((each, n) => (isOne(n, each) ? n : []));
  const either: Fits = (...of) => fits(...of) || fitsOther(...of);
  expect(await found(`${key}:${value}`)).toEqual(among(fits));
  expect(await found(`-${key}:${value} is:active`)).toEqual(
    among((...of) => !fits(...of) && isActive(...of)),
  );
  expect(await found(`${key}:${value},${other}`)).toEqual(among(either));
  expect(await found(`!${key}:${value},${other}`)).toEqual(among((...of) => !either(...of)));
  const query = new URLSearchParams({ q: `${key}:${other}`, project_id });
  expect((await client.get(`/v1/incidents/count?${query}`)).body).toEqual({
    count: among(fitsOther).length,
    is_exact: true,
  });
  if (none === null) return;
  expect(await found(`${key}:${none}`)).toEqual([]);
  expect(await found(`-${key}:${none}`)).toEqual(NUMBERS);
});
