import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ago,
  DEP,
  EX,
  EXR,
  FRONTEND,
  LOG,
  MINUTE,
  SECOND,
  type SentEvent,
} from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';

/**
 * What a document would show for the first time does not wait for the interval of its incident, five minutes for a
 * busy one (docs/contract/incidents.md 3.9).
 */
describe.concurrent('the bundle of a busy incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(() => culprit.stop());

  const COUNT = 1000;

  /** An incident that looks as if it had been busy for a while, with a fresh bundle. */
  async function busyIncident(
    ...events: SentEvent[]
  ): Promise<{ client: IncidentClient; incidentId: string }> {
    const client = await connect(culprit);
    await client.send(...events);
    const { incident_id: incidentId } = await client.only(events.length);
    await client.refreshed();
    await culprit.database.script(`
      update incidents set occurrence_count = ${COUNT} where incident_id = '${incidentId.slice(4)}';
      update bundles set generated_at = culprit_now() where incident_id = '${incidentId.slice(4)}'`);
    return { client, incidentId };
  }

  async function sendAndCount(client: IncidentClient, count: number, ...events: SentEvent[]): Promise<void> {
    await client.send(...events);
    await client.processed();
    await client.only(count);
  }

  /** The next refresh, which is queued for context, is there and waits for the interval. */
  async function expectWaiting(client: IncidentClient): Promise<void> {
    await client.processed();
    await eventually(async () => {
      const [job] = await culprit.database.query<{ wait_s: number }>(
        {
          name: 'test-wait',
          text: `select extract(epoch from run_at - culprit_now())::float8 as wait_s from jobs
            where fairness_key = replace($1, 'proj_', '')::uuid and leased_until is null`,
        },
        [client.project.projectId],
      );
      expect(job?.wait_s).toBeGreaterThan(60);
    });
  }

  /** Nothing is queued, and a reader gets the stored generation until the interval is over. */
  async function expectUnchanged(client: IncidentClient, incidentId: string): Promise<void> {
    const { metadata } = await client.bundle(incidentId);
    await client.processed();
    expect(
      await countRows(
        culprit,
        `jobs where kind = 'bundles.build' and fairness_key = replace($1, 'proj_', '')::uuid`,
        [client.project.projectId],
      ),
    ).toBe(0);
    expect((await client.bundle(incidentId)).metadata).toEqual(metadata);
  }

  async function updates(client: IncidentClient): Promise<number> {
    return (await client.ledger('bundle.updated')).length;
  }

  const correlation = { trace_id: 'trace-1' };

  it('shows the first log of its trace at once, and further ones in their time', async () => {
    const { client, incidentId } = await busyIncident(EX({ correlation }));
    await client.send(LOG('info', 'first', { correlation }));
    expect((await client.bundle(incidentId, 2)).context.logs?.items).toHaveLength(1);
    expect(await updates(client)).toBe(1);
    for (let n = 0; n < 5; n += 1) await client.send(LOG('info', `further ${n}`, { correlation }));
    await expectWaiting(client);
    expect((await client.bundle(incidentId)).metadata.generation_number).toBe(2);
  });

  it.each([
    [
      'request',
      { event_type: 'request_event', payload: { method: 'GET', path: '/a', response_status: 200 } },
    ],
    [
      'probe_data',
      { event_type: 'probe_event', payload: { label: 'cart', data: { items: 2 }, timestamp: ago(0) } },
    ],
    ['frontend', { event_type: 'frontend_breadcrumb', payload: { breadcrumb_type: 'click' } }],
  ] as const)('shows the first %s of its trace at once', async (block, change) => {
    const { client, incidentId } = await busyIncident(EX({ correlation }));
    const { event_type, payload } = change;
    const { payload: _, ...envelope } = LOG('info', '');
    await client.send({ ...envelope, correlation, event_type, payload });
    expect((await client.bundle(incidentId, 2)).context[block]).not.toBeNull();
  });

  it('shows nothing at once that stands around an occurrence which does not lead it', async () => {
    const { client, incidentId } = await busyIncident(
      EX({ correlation: { trace_id: 'older' }, timestamp: ago(MINUTE) }),
      EX({ correlation, timestamp: ago(SECOND) }),
    );
    await client.send(LOG('info', 'of the other', { correlation: { trace_id: 'older' } }));
    await expectWaiting(client);
    await client.send(LOG('info', 'of the one that leads', { correlation }));
    expect((await client.bundle(incidentId, 2)).context.logs?.items).toHaveLength(1);
  });

  it('shows the first logs at once that came before their occurrence, or with it', async () => {
    for (const together of [false, true]) {
      const { client, incidentId } = await busyIncident(EX());
      const log = LOG('info', 'before', { correlation });
      if (!together) await client.send(log);
      await client.processed();
      await client.send(...(together ? [log] : []), EX({ correlation }));
      expect((await client.bundle(incidentId, 2)).context.logs?.items).toHaveLength(1);
    }
  });

  it.each([
    ['runtime', () => EX({ payload: { runtime: { name: 'node', version: '24' } } })],
    ['environment', () => EX({ context: { environment: { os: 'linux' } } })],
    ['git', () => EX({ context: { git: { commit: 'abc' } } })],
    ['dependencies', () => EX({ context: { dependencies: { db: 'ok' } } })],
    ['custom', () => EX({ context: { order: 7 } })],
    ['device', () => ({ ...EX(), device: { user_agent: 'Firefox' } })],
    [
      'probe_data',
      () => EX({ payload: { probe_data: { items: [{ label: 'cart', data: {}, timestamp: ago(0) }] } } }),
    ],
  ] as const)('shows the first %s that an occurrence brings at once, and only once', async (block, event) => {
    const { client, incidentId } = await busyIncident(EX());
    await sendAndCount(client, COUNT + 1, event());
    const bundle = await client.bundle(incidentId, 2);
    expect(bundle.context[block] ?? null).not.toBeNull();
    expect(await updates(client)).toBe(1);
    await sendAndCount(client, COUNT + 3, EX(), event());
    await expectUnchanged(client, incidentId);
  });

  it('shows a deploy at once when the first occurrence behind it comes', async () => {
    const { client, incidentId } = await busyIncident(EX({ timestamp: ago(3 * 60 * MINUTE) }));
    await client.send(DEP());
    await client.processed();
    await client.send(EX());
    expect((await client.bundle(incidentId, 2)).context.deploy).not.toBeNull();
  });

  it('tells at once that it became reproducible, and that it is no more', async () => {
    const { client, incidentId } = await busyIncident(EX());
    await client.send(EXR());
    expect((await client.bundle(incidentId, 2)).reproduction.possible).toBe(true);
    await client.send(EXR({}, { method: 'FOO' }));
    expect((await client.bundle(incidentId, 3)).reproduction.reason).toBe('invalid_request_line');
    expect(await updates(client)).toBe(2);
    // Both are known by now: a pair that alternates would otherwise refresh it every second.
    await sendAndCount(client, COUNT + 3, EXR());
    await expectUnchanged(client, incidentId);
  });

  it('tells at once of the failed request in the trail of a browser', async () => {
    const session = { session_id: 'session-1' };
    const { client, incidentId } = await busyIncident(FRONTEND({ correlation: session }));
    const { payload: _, ...envelope } = FRONTEND({ correlation: session });
    const crumb = (payload: object) => ({ ...envelope, event_type: 'frontend_breadcrumb', payload });
    await client.send(crumb({ breadcrumb_type: 'click', data: { selector: '#pay' } }));
    expect((await client.bundle(incidentId, 2)).reproduction.possible).toBe(false);
    const data = { method: 'GET', url: 'https://api.shop.example/cart', status: 500 };
    await client.send(crumb({ breadcrumb_type: 'network_request', data }));
    expect((await client.bundle(incidentId, 3)).reproduction.possible).toBe(true);
  });

  it('is not refreshed again and again by an offer that turns out to be nothing', async () => {
    const { client, incidentId } = await busyIncident(EX({ context: { order: 7 } }));
    const nothing = { context: { order: 7, dependencies: [] } };
    await sendAndCount(client, COUNT + 1, EX(nothing));
    await client.bundle(incidentId, 2);
    await sendAndCount(client, COUNT + 2, EX(nothing));
    await expectUnchanged(client, incidentId);
  });
});
