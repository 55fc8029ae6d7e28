import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient, incidentsIn } from '../support/incident-client.ts';
import { readPages } from '../support/read-pages.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, DAY, EX, HOUR, LOG, MINUTE, named, REQ } from './incidents-fixtures.ts';

// Runs on the oldest PostgreSQL too.

describe.concurrent('the list of incidents', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** Titles of a filtered list, in its order. */
  async function titles(client: IncidentClient, query: Record<string, string>): Promise<string[]> {
    const found = await client.list({ project_id: client.project.projectId, ...query });
    return found.map(({ title }) => title.replace(/Error:.*/, ''));
  }

  //
  it('is ordered by latest activity and paged by a cursor of time and id', async () => {
    const client = await connect(culprit);
    const times = [ago(3 * HOUR), ago(2 * HOUR), ago(HOUR)];
    await client.send(
      ...['One', 'Two', 'Three'].map((word, n) => named(word, { timestamp: times[n] ?? '' })),
    );
    const [third, second, first] = await client.counted(1, 1, 1);
    expect([first?.last_seen_at, second?.last_seen_at, third?.last_seen_at]).toEqual(times);
    const path = `/v1/incidents?project_id=${client.project.projectId}&limit=2`;
    const cursor = `${times[1]}|${second?.incident_id}`;
    expect((await client.get(path)).body).toEqual({ incidents: [third, second], next_cursor: cursor });
    const rest = await client.get(`${path}&cursor=${encodeURIComponent(cursor)}`);
    expect(rest.body).toEqual({ incidents: [first], next_cursor: null });
  });

  it('pages to the end without repeating or missing one, also among incidents of one moment', async () => {
    const client = await connect(culprit);
    const at = [ago(HOUR), ago(2 * HOUR)];
    const events = Array.from({ length: 24 }, (_, n) =>
      named(`Bug${String.fromCharCode(65 + n)}`, { timestamp: at[n % 2] ?? '' }),
    );
    await client.send(...events);
    const all = await client.counted(...events.map(() => 1));
    for (const limit of [1, 5, 12, 23]) {
      expect(await readPages(client, '/v1/incidents', 'incidents', limit)).toEqual(all);
    }
  });

  it('has no next cursor when exactly the limit is left, and shows twenty unless told otherwise', async () => {
    const client = await connect(culprit);
    const words = Array.from({ length: 21 }, (_, n) => `Bug${String.fromCharCode(65 + n)}`);
    await client.send(...words.slice(0, 20).map((word) => named(word)));
    await client.counted(...Array.from({ length: 20 }, () => 1));
    const full = await client.get('/v1/incidents');
    expect(incidentsIn(full)).toHaveLength(20);
    expect(full.body).toMatchObject({ next_cursor: null });
    expect((await client.get('/v1/incidents?limit=20')).body).toMatchObject({ next_cursor: null });
    await client.send(named(words[20] ?? ''));
    await client.counted(...Array.from({ length: 21 }, () => 1));
    const page = await client.get('/v1/incidents');
    expect(incidentsIn(page)).toHaveLength(20);
    expect(page.body).toMatchObject({ next_cursor: expect.stringMatching(/Z\|inc_/) });
  });

  it('is empty with a null cursor for a project without incidents', async () => {
    const client = await connect(culprit);
    const answer = await client.get(`/v1/incidents?project_id=${client.project.projectId}`);
    expect(answer.body).toEqual({ incidents: [], next_cursor: null });
  });

  //
  it('active means open or regressed', async () => {
    const client = await connect(culprit);
    await client.send(named('Open'), named('Solved'), named('Again'));
    for (const incident of await client.counted(1, 1, 1)) {
      if (!incident.title.startsWith('Open')) await client.resolve(incident.incident_id);
    }
    await client.send(named('Again'));
    await client.counted(1, 1, 2);
    expect((await titles(client, { status: 'active' })).sort()).toEqual(['Again', 'Open']);
    expect(await titles(client, { status: 'resolved' })).toEqual(['Solved']);
    expect(await titles(client, { status: 'open' })).toEqual(['Open']);
    expect(await titles(client, { status: 'regressed' })).toEqual(['Again']);
    const answer = await client.get('/v1/incidents?status=reopened');
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=abc',
    'limit=1.5',
    'limit=-1',
    'limit=',
    'limit=5&limit=5',
    'cursor=zzz',
    'cursor=2026-03-24T10:30:00Z%7Cinc_00000000-0000-4000-8000-000000000000',
    'cursor=2026-03-24T10:30:00.000Z%7Cinc_zzz',
    'cursor=2026-03-24T10:30:00.000Z%7Cinc_00000000-0000-4000-8000-000000000000%7Cmore',
    'cursor=2026-02-30T10:30:00.000Z%7Cinc_00000000-0000-4000-8000-000000000000',
    'cursor=%2500',
    'foo=1',
    'first_seen_after=yesterday',
    'first_seen_after=2026-03-24',
    'first_seen_after=2026-03-24T10:30:00',
    'attention_after=1774348200000',
    'attention_after=2026-13-01T00:00:00Z',
    'severity=High',
    'severity=urgent',
    'status=Active',
    'environment=',
    'environment=%00',
    'service=',
    'project_id=proj%20x',
    '__proto__=1',
    'sort=title',
  ])('A-21 refuses the query %s', async (query) => {
    const client = await connect(culprit);
    const answer = await client.get(`/v1/incidents?${query}`);
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });

  //
  it('a severity is exact and not a least one', async () => {
    const client = await connect(culprit);
    await client.send(
      named('Worst', { context: { severity: 'critical' } }),
      named('Bad'),
      LOG('error', 'slow'),
    );
    await client.counted(1, 1, 1);
    expect(await titles(client, { severity: 'high' })).toEqual(['Bad']);
    expect(await titles(client, { severity: 'critical' })).toEqual(['Worst']);
    expect(await titles(client, { severity: 'low' })).toEqual(['slow']);
    expect(await titles(client, { severity: 'medium' })).toEqual([]);
  });

  //
  it('an old incident that regressed lately needs attention although it is not new', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(3 * DAY) }));
    const { incident_id } = await client.only();
    expect(await client.list({ attention_after: ago(2 * HOUR) })).toEqual([]);
    await client.resolve(incident_id);
    await client.send(EX());
    const regressed = await client.only(2);
    expect(await client.list({ attention_after: ago(2 * HOUR) })).toEqual([regressed]);
    expect(await client.list({ first_seen_after: ago(2 * HOUR) })).toEqual([]);
  });

  it('a new incident needs attention without any regression, and both bounds are inclusive', async () => {
    const client = await connect(culprit);
    const at = ago(HOUR);
    await client.send(EX({ timestamp: at }));
    const incident = await client.only();
    const later = new Date(Date.parse(at) + 1).toISOString();
    for (const name of ['attention_after', 'first_seen_after']) {
      expect(await client.list({ [name]: at })).toEqual([incident]);
      expect(await client.list({ [name]: later })).toEqual([]);
    }
  });

  it('a time with an offset is the same moment as in UTC', async () => {
    const client = await connect(culprit);
    const happened = Date.parse(ago(HOUR));
    await client.send(EX({ timestamp: new Date(happened).toISOString() }));
    await client.only();
    const inCairo = (ms: number) => new Date(ms + 2 * HOUR).toISOString().replace('Z', '+02:00');
    expect(await client.list({ first_seen_after: inCairo(happened) })).toHaveLength(1);
    expect(await client.list({ first_seen_after: inCairo(happened + 1) })).toHaveLength(0);
  });

  it('environment and service are exact, with case', async () => {
    const client = await connect(culprit);
    await client.send(
      named('One', { service: { name: 'Api', environment: 'production' } }),
      named('Two', { service: { name: 'api', environment: 'Production' } }),
    );
    await client.counted(1, 1);
    expect(await titles(client, { service: 'api' })).toEqual(['Two']);
    expect(await titles(client, { environment: 'production' })).toEqual(['One']);
    expect(await titles(client, { environment: 'prod' })).toEqual([]);
    expect(await titles(client, { service: 'a%' })).toEqual([]);
  });

  it('filters are all required together, and hold while paging', async () => {
    const client = await connect(culprit);
    const staging = { service: { environment: 'staging' } };
    await client.send(
      named('Match', { timestamp: ago(MINUTE) }),
      named('Other', { timestamp: ago(2 * MINUTE) }),
      named('Staged', staging),
      LOG('error', 'quiet'),
      named('Old', { timestamp: ago(3 * HOUR) }),
      REQ({ service: { name: 'mailer' } }),
    );
    await client.counted(1, 1, 1, 1, 1, 1);
    const query = {
      environment: 'production',
      service: 'checkout-api',
      status: 'open',
      severity: 'high',
      first_seen_after: ago(HOUR),
      attention_after: ago(HOUR),
    };
    expect(await titles(client, query)).toEqual(['Match', 'Other']);
    const paged = await readPages(client, `/v1/incidents?${new URLSearchParams(query)}`, 'incidents', 1);
    expect(paged).toEqual(await client.list(query));
  });
});
