import type { Incident, IncidentSort } from '@culprit/contract/incidents/incidents';
import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import { readQuery } from '@culprit/contract/search/incident-query';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bounds, wayOfCount, wayOfPage } from '../../src/pipeline/incidents/reading/choose-way.ts';
import { incidentCursor, readIncidentCursor } from '../../src/pipeline/incidents/reading/incident-cursor.ts';
import {
  countFitting,
  countIncidentRows,
  type IncidentFilter,
  type Listed,
  listIncidentRows,
} from '../../src/pipeline/incidents/reading/incident-list.queries.ts';
import { compileQuery } from '../../src/pipeline/incidents/searching/compile-query.ts';
import { insertSearchRows } from '../../src/pipeline/incidents/searching/search-rows.queries.ts';
import { parseId } from '../../src/platform/ids.ts';
import { copyIncidents } from '../support/copy-incidents.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { named } from './incidents-fixtures.ts';

// Runs on the oldest PostgreSQL too.

const COPIES = 160;
/** Each has another way for the same query: by few that are found, in order and as a whole. */
const ALL_BOUNDS: readonly Bounds[] = [
  { near: 12, found: 2000 },
  { near: 12, found: 0 },
  { near: 4, found: 8 },
];
const SORTS = ['last_seen', 'first_seen', 'occurrences', 'severity', 'priority'] as const;
const NO_ONE = '00000000-0000-4000-8000-000000000000';
const LIMIT = 20;

interface Copy {
  number: number;
  id: string;
  title: string;
  severity: number;
  status: string;
  count: number;
  types: string[];
  files: string[];
  functions: string[];
  messages: string[];
  statuses: string[];
  zones: string[];
}

/** Terms with what they mean of a copy, in plain code. */
const TERMS: readonly (readonly [term: string, fits: (copy: Copy) => boolean])[] = [
  ['tag.zone:eu', ({ zones }) => zones.includes('eu')],
  ['tag.zone:e*', ({ zones }) => zones.some((zone) => zone.startsWith('e'))],
  ['tag.zone:*', ({ zones }) => zones.length > 0],
  ['tag.zone:us,asia', ({ zones }) => zones.includes('us') || zones.includes('asia')],
  ['type:TypeError', ({ types }) => types.includes('TypeError')],
  ['type:Range*', ({ types }) => types.includes('RangeError')],
  ['type:*', ({ types }) => types.length > 0],
  ['file:src/**', ({ files }) => files.some((file) => /(^|\/)src\//.test(file))],
  ['file:**/b.ts', ({ files }) => files.some((file) => /(^|\/)b\.ts$/.test(file))],
  ['file:src/*.ts', ({ files }) => files.some((file) => /(^|\/)src\/[^/]*\.ts$/.test(file))],
  ['function:load*', ({ functions }) => functions.some((name) => /(^|\.)load/.test(name))],
  ['function:*2', ({ functions }) => functions.some((name) => name.endsWith('2'))],
  ['http:5xx', ({ statuses }) => statuses.some((status) => status.startsWith('5'))],
  ['http:404', ({ statuses }) => statuses.includes('404')],
  ['message:"order 1"', ({ messages }) => messages.some((message) => message.includes('order 1'))],
  ['title:broken', ({ title }) => title.includes('broken')],
  ['broken', ({ title, messages }) => [title, ...messages].some((text) => text.includes('broken'))],
  ['load1', ({ functions }) => functions.some((name) => name.includes('load1'))],
  ['nowhere', () => false],
  ['severity:critical', ({ severity }) => severity === 3],
  ['severity:<high', ({ severity }) => severity < 2],
  ['is:resolved', ({ status }) => status === 'resolved'],
  ['is:regressed', ({ status }) => status === 'regressed'],
  ['count:>50', ({ count }) => count > 50],
  ['-is:snoozed', () => true],
];

describe('a list is the same, however its incidents are read', () => {
  let culprit: TestCulprit;
  let projectId: string;
  const random = seededRandom(36);
  const byId = new Map<string, Copy>();
  const met = new Set<string>();

  beforeAll(async () => {
    culprit = await shareCulprit();
    const client = await connect(culprit);
    await client.send(named('First'));
    const [first] = await client.counted(1);
    await client.settled();
    projectId = parseId(['proj'], client.project.projectId) ?? '';
    await fill(parseId(['inc'], first?.incident_id ?? '') ?? '');
  });
  afterAll(() => culprit.stop());

  async function fill(firstId: string): Promise<void> {
    const { database } = culprit;
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const some = <Each>(values: readonly Each[]) => values.filter(() => random.chance(0.4));
    const copies = Array.from({ length: COPIES }, (_, n) => {
      const status = random.pick(['open', 'open', 'resolved', 'regressed']);
      return {
        ...{
          number: 1000 + n,
          status,
          severity: random.integer(0, 3),
          title: random.pick(['A broken cart', 'A lost cart']),
        },
        ...{
          count: random.integer(1, 99),
          types: some(['TypeError', 'RangeError']),
          zones: some(['eu', 'east', 'us']),
        },
        // What is older has other files, so that a term finds nothing near the top.
        files: n < COPIES / 2 ? some(['src/a.ts', 'app/b.ts']) : some(['app/src/deep/b.ts', 'lib/c.ts']),
        ...{ functions: some(['load1', 'Cart.load2', 'render']), statuses: some(['404', '500', '503']) },
        messages: some(['order 1 is broken', 'order 2 is late']),
      };
    });
    await copyIncidents(
      database,
      {
        changed: `to_jsonb(i) || n.changed || jsonb_build_object('incident_id', gen_random_uuid())`,
        from: `incidents i, jsonb_array_elements($2::jsonb) n (changed) where i.incident_id = $1::uuid`,
      },
      [
        firstId,
        JSON.stringify(
          copies.map(({ number, status, severity, title, count }, n) => ({
            ...{ number, status, severity, title, occurrence_count: count },
            fingerprint: `\\x${String(n).padStart(64, '0')}`,
            ...{ first_seen_at: ago(60 + random.integer(0, 9)), last_seen_at: ago(n / 4) },
            resolved_at: status === 'resolved' ? ago(0) : null,
            regressed_at: status === 'regressed' ? ago(30) : null,
          })),
        ),
      ],
    );
    const rows = await database.query<{ incident_id: string; number: number }>(
      {
        name: '',
        text: 'select incident_id, number from incidents where project_id = $1 and number >= 1000',
      },
      [projectId],
    );
    for (const { incident_id: id, number } of rows) {
      const copy = copies[number - 1000];
      if (copy !== undefined) byId.set(id, { ...copy, id });
    }
    await database.transaction(async (transaction) =>
      insertSearchRows(
        transaction,
        projectId,
        [...byId.values()].map(({ id, title, types, files, functions, messages, statuses, zones }) => ({
          incidentId: id,
          hasOwnFrames: true,
          facts: {
            ...{
              title,
              service: 'shop',
              environment: 'production',
              kind: 'backend_exception',
              tagValues: zones,
            },
            ...{ types, files, functions, messages, statuses, routes: [], releases: [] },
          },
        })),
      ),
    );
    await database.query(
      {
        name: '',
        text: `insert into incident_tags (project_id, incident_id, key, value, count, first_seen_at, last_seen_at)
          select $1, id, 'zone', value, 1, now(), now() from unnest($2::uuid[], $3::text[]) t (id, value)`,
      },
      [
        projectId,
        [...byId.values()].flatMap(({ id, zones }) => zones.map(() => id)),
        [...byId.values()].flatMap(({ zones }) => zones),
      ],
    );
    // The one that was sent is no copy.
    for (const table of ['incidents', 'incident_search', 'incident_titles', 'incident_tags']) {
      await database.query({ name: '', text: `delete from ${table} where incident_id = $1` }, [firstId]);
    }
  }

  const conditionsOf = (q: string) =>
    compileQuery(readQuery(q).terms, {
      projectIds: [projectId],
      nowMs: Date.now(),
      userId: NO_ONE,
      users: new Map(),
    });

  async function read(
    q: string,
    sort: IncidentSort,
    bounds: Bounds,
    filter: IncidentFilter,
  ): Promise<Incident[]> {
    const found: Incident[] = [];
    let after: ReturnType<typeof readIncidentCursor> = null;
    for (let pages = 0; pages <= COPIES / LIMIT; pages += 1) {
      const page = { sort, after, limit: LIMIT + 1 };
      const listed = await wayOfPage(culprit.database, filter, page, conditionsOf(q), bounds);
      met.add(wayNameOf(listed));
      const rows = await listIncidentRows(culprit.database, filter, page, listed);
      found.push(...rows.slice(0, LIMIT));
      const last = rows[LIMIT - 1];
      if (rows.length <= LIMIT || last === undefined) break;
      after = readIncidentCursor(sort, incidentCursor(sort, last));
    }
    return found;
  }

  const wayNameOf = ({ candidates, isWhole }: Listed) =>
    candidates !== null ? 'candidates' : isWhole ? 'whole' : 'in order';

  /** The columns of an order, from what the API shows. */
  const keyOf = (incident: Incident, sort: IncidentSort): (string | number)[] => {
    const { last_seen_at: seen, incident_id: id } = incident;
    switch (sort) {
      case 'last_seen':
        return [seen, id];
      case 'first_seen':
        return [incident.first_seen_at, id];
      case 'occurrences':
        return [incident.occurrence_count, id];
      case 'severity':
        return [SEVERITIES.indexOf(incident.severity), seen, id];
      case 'priority': {
        const { level } = incident.triage.priority;
        const isCritical = level === 'urgent' && incident.severity === 'critical';
        return [PRIORITY_LEVELS.indexOf(level) + Number(isCritical), seen, id];
      }
    }
  };
  const isBefore = (a: readonly (string | number)[], b: readonly (string | number)[]) => {
    for (const [n, value] of a.entries()) {
      const other = b[n] ?? '';
      if (value !== other) return value > other;
    }
    return false;
  };

  const QUERIES = [
    ...TERMS.map(([term], n) => (n % 2 === 0 || term.startsWith('-') ? term : `-${term}`)),
    ...Array.from({ length: 14 }, () =>
      Array.from({ length: 3 }, () => {
        const [term] = random.pick(TERMS);
        return random.chance(0.3) && !term.startsWith('-') ? `-${term}` : term;
      }).join(' '),
    ),
  ];

  it.each(QUERIES)('%s', async (q) => {
    const fits = q.match(/(?:[^\s"]|"[^"]*")+/g)?.map((text) => {
      const [term, holds] = TERMS.find(([each]) => each === text || `-${each}` === text) ?? ['', () => false];
      return (copy: Copy) => holds(copy) === (term === text);
    });
    const filter = filterOf(q.length % 3 === 0 ? 'open' : null);
    const wanted = [...byId.values()]
      .filter((copy) => (fits ?? []).every((each) => each(copy)))
      .filter(({ status }) => filter.status === null || status === filter.status)
      .map(({ id }) => id)
      .sort();
    for (const [n, bounds] of ALL_BOUNDS.entries()) {
      const sort = SORTS[(q.length + n) % SORTS.length] ?? 'last_seen';
      const found = await read(q, sort, bounds, filter);
      const what = `${sort}, ${JSON.stringify(bounds)}`;
      expect(found.map(({ incident_id: id }) => parseId(['inc'], id)).sort(), what).toEqual(wanted);
      const keys = found.map((incident) => keyOf(incident, sort));
      for (const [at, key] of keys.slice(1).entries()) expect(isBefore(keys[at] ?? [], key), what).toBe(true);
      const conditions = conditionsOf(q);
      const listed = await wayOfCount(culprit.database, filter, conditions, bounds);
      expect(await countIncidentRows(culprit.database, filter, listed, 1000), what).toBe(wanted.length);
      if (n > 0 || filter.status !== null || conditions.some(({ all }) => all === undefined)) continue;
      expect(await countFitting(culprit.database, [projectId], conditions, 1000)).toBe(wanted.length);
    }
  });

  it('in each of the ways', () => {
    expect([...met].sort()).toEqual(['candidates', 'in order', 'whole']);
  });

  function filterOf(status: string | null): IncidentFilter {
    return {
      ...{
        projectIds: [projectId],
        environment: null,
        service: null,
        status,
        severity: null,
        severityMin: null,
      },
      ...{
        isSpiking: null,
        firstSeenAfterMs: null,
        attentionAfterMs: null,
        symbolication: null,
        firstRelease: null,
      },
    };
  }
});
