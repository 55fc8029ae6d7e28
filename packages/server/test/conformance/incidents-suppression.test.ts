import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, HOUR, MINUTE, named, SECOND, SUP } from './incidents-fixtures.ts';

/** Which incident the duplicates go to that a client held back (docs/contract/incidents.md 5.10). */
describe.concurrent('suppressed duplicates', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function afterSignal(event: object): Promise<IncidentClient> {
    const client = await connect(culprit);
    await client.send(event);
    await client.only();
    return client;
  }

  /** What the only incident counts once the summary was dealt with. */
  async function countAfter(client: IncidentClient, ...summaries: object[]): Promise<number> {
    await client.send(...summaries);
    await client.processed();
    return (await client.list())[0]?.occurrence_count ?? 0;
  }

  it('belong to nobody when two incidents of the service were active in their span', async () => {
    const client = await connect(culprit);
    await client.send(named('Alpha'), named('Beta'));
    await client.counted(1, 1);
    await client.send(SUP());
    await client.processed();
    await client.counted(1, 1);
  });

  it('belong to the one active incident when another one was active long before', async () => {
    const client = await connect(culprit);
    await client.send(named('Alpha', { timestamp: ago(HOUR) }), named('Beta'));
    await client.counted(1, 1);
    await client.send(SUP());
    const incidents = await client.counted(1, 98);
    expect(incidents.find((incident) => incident.occurrence_count === 98)?.title).toMatch(/^BetaError/);
  });

  it('belong to nobody when no signal falls into their span', async () => {
    const client = await afterSignal(EX({ timestamp: ago(MINUTE) }));
    expect(await countAfter(client, SUP())).toBe(1);
  });

  it('reach two seconds before and after their span, and no further', async () => {
    const nowMs = Date.now();
    const iso = (ms: number) => new Date(ms).toISOString();
    const span = { first_seen: iso(nowMs - 20 * SECOND), last_seen: iso(nowMs - 10 * SECOND) };
    const counts = await Promise.all(
      [-22_001, -22_000, -8_000, -7_999].map(async (offsetMs) => {
        const client = await afterSignal(EX({ timestamp: iso(nowMs + offsetMs) }));
        return await countAfter(client, SUP({ payload: span }));
      }),
    );
    expect(counts).toEqual([1, 98, 98, 1]);
  });

  it.each([
    ['another library', { sdk: { name: 'other', version: '1.0.0' } }],
    ['another service', { service: { name: 'mailer' } }],
    ['another environment', { service: { environment: 'staging' } }],
  ])('of %s are not counted', async (_, change) => {
    const client = await afterSignal(EX());
    expect(await countAfter(client, SUP(change))).toBe(1);
  });

  it('of another version of the same library are counted', async () => {
    const client = await afterSignal(EX());
    expect(await countAfter(client, SUP({ sdk: { name: 'custom', version: '2.0.0' } }))).toBe(98);
  });

  it('are counted when they arrive in one request with the signal, before it', async () => {
    const client = await connect(culprit);
    await client.send(SUP(), EX());
    expect((await client.only(98)).status).toBe('open');
  });

  it('add up over several summaries', async () => {
    const client = await afterSignal(EX());
    expect(await countAfter(client, SUP({ payload: { suppressed_count: 3 } }), SUP())).toBe(101);
  });

  it('of a summary that arrives twice under one id are counted once', async () => {
    const client = await afterSignal(EX());
    expect(await countAfter(client, SUP({ event_id: 'evt_sup_1' }), SUP({ event_id: 'evt_sup_1' }))).toBe(98);
    expect(await countAfter(client, SUP({ event_id: 'evt_sup_1' }))).toBe(98);
  });

  it('of number zero leave the incident as it is', async () => {
    const client = await afterSignal(EX());
    expect(await countAfter(client, SUP({ payload: { suppressed_count: 0 } }))).toBe(1);
  });

  it('of a count beyond a million are cut to a million', async () => {
    const client = await afterSignal(EX());
    expect(await countAfter(client, SUP({ payload: { suppressed_count: 7_000_000 } }))).toBe(1_000_001);
  });

  it('of a resolved incident are counted without moving its time or state', async () => {
    const client = await afterSignal(EX());
    const { incident_id } = await client.only();
    const before = await client.resolve(incident_id);
    expect(await countAfter(client, SUP({ payload: { last_seen: ago(-MINUTE) } }))).toBe(98);
    expect(await client.read(incident_id)).toEqual({ ...before, occurrence_count: 98 });
    expect(await client.ledger('incident.regressed')).toEqual([]);
  });

  it('that were last seen before the incident move its time back nowhere', async () => {
    const client = await afterSignal(EX());
    const before = await client.only();
    const earlier = (ms: number) => new Date(Date.parse(before.last_seen_at) - ms).toISOString();
    await client.send(SUP({ payload: { first_seen: earlier(2 * SECOND), last_seen: earlier(SECOND) } }));
    expect(await client.only(98)).toEqual({ ...before, occurrence_count: 98 });
  });

  it('raise no severity', async () => {
    const client = await connect(culprit);
    await client.send({
      ...EX(),
      event_type: 'log_event',
      payload: { level: 'error', message: 'slow disk' },
    });
    expect((await client.only()).severity).toBe('low');
    await client.send(SUP());
    expect((await client.only(98)).severity).toBe('low');
  });

  it('of a whole day are spread over it, so that they look like no spike', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(24 * HOUR) }), EX());
    await client.only(2);
    await client.send(
      SUP({ payload: { suppressed_count: 2_880, first_seen: ago(24 * HOUR), last_seen: ago(0) } }),
    );
    // Two a minute: five minutes hold ten of them, as all other five minutes do.
    expect((await client.only(2_882)).spike_detected_at).toBeNull();
    await client.send(EX());
    expect((await client.only(2_883)).spike_detected_at).toBeNull();
    const minutes = await culprit.database.query<{ occurrences: number }>(
      {
        name: 'test-spread',
        text: `select occurrences from incident_minutes join incidents using (incident_id)
          where project_id = replace($1, 'proj_', '')::uuid order by minute desc offset 3 limit 60`,
      },
      [client.project.projectId],
    );
    expect(minutes).toHaveLength(60);
    expect(minutes.every(({ occurrences }) => occurrences === 2)).toBe(true);
  });
});
