import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { storeBatch } from '../support/store-batch.ts';
import { ago, changed, DEP, EX, LOG, MINUTE, REQ, SECOND, SUP } from './incidents-fixtures.ts';

const CRUMB = changed(EX(), {
  event_type: 'frontend_breadcrumb',
  payload: { breadcrumb_type: 'click', route: '/cart', data: { selector: 'button.pay' } },
});
const PROBE = changed(EX(), {
  event_type: 'probe_event',
  payload: { label: 'db.pool', data: { active: 9 }, activation_id: null, probe_label_pattern: 'db.*' },
});
const SCANNED = REQ({
  payload: { method: 'GET', path: '/robots.txt', response_status: 404, duration_ms: 3 },
});

describe.concurrent('events that open no incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  //
  it.each(['minimal', 'balanced', 'investigative'])(
    'deploys, warnings, common client errors, breadcrumbs and probes open nothing under %s',
    async (preset) => {
      const client = await connect(culprit, { preset });
      const events = [
        DEP(),
        LOG('warning', 'cache miss rate high'),
        SCANNED,
        withoutStack(CRUMB),
        withoutStack(PROBE),
      ];
      const answer = acknowledgement(await sendEvents(culprit.url, client.project.projectToken, events));
      expect(answer.accepted + answer.rejected).toBe(events.length);
      expect(answer.errors.every((error) => error.reason === 'capture_policy_rejected')).toBe(true);
      expect(answer.accepted).toBeGreaterThan(0);
      await client.settled();
      expect(await client.list()).toEqual([]);
      expect(await client.ledger()).toEqual([]);
    },
  );

  it('a client error that repeats a hundred times opens nothing', async () => {
    const client = await connect(culprit);
    await client.send(...Array.from({ length: 100 }, () => SCANNED));
    await client.processed();
    expect(await client.list()).toEqual([]);
  });

  //
  it('a demoted exception opens nothing', async () => {
    const client = await connect(culprit);
    await storeDemoted(culprit, client);
    await client.settled();
    expect(await client.list()).toEqual([]);
    expect(await client.ledger()).toEqual([]);
  });

  //
  it('a demoted exception leaves its resolved incident resolved', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.resolve(incident_id);
    await storeDemoted(culprit, client);
    await client.settled();
    expect(await client.only()).toMatchObject({
      status: 'resolved',
      occurrence_count: 1,
      regressed_at: null,
    });
    expect(await client.ledger('incident.regressed')).toEqual([]);
  });

  //
  it('a demoted exception changes neither count, times nor severity of its open incident and joins its log', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(MINUTE), event_id: 'evt_a16_signal' }));
    const before = await client.only();
    await storeDemoted(
      culprit,
      client,
      EX({ event_id: 'evt_a16_demoted', context: { severity: 'critical' } }),
    );
    await client.settled();
    expect(await client.only()).toEqual(before);
    expect(await client.logs(before.incident_id)).toMatchObject([
      { event_id: 'evt_a16_demoted', event_type: 'backend_exception', is_sampled: false },
      { event_id: 'evt_a16_signal', event_type: 'backend_exception', is_sampled: true },
    ]);
    const told = await client.ledger();
    expect(told.map(({ kind }) => kind).sort()).toEqual(['bundle.created', 'incident.opened']);
  });

  it('a demoted exception joins the log of an incident that its own batch opens', async () => {
    const client = await connect(culprit);
    await storeBatch(culprit, client.project, [
      { event: EX({ event_id: 'evt_demoted_first' }), eventClass: 'context_signal', isDemoted: true },
      { event: EX({ event_id: 'evt_opens' }) },
    ]);
    await client.settled();
    const { incident_id, occurrence_count } = await client.only();
    expect(occurrence_count).toBe(1);
    expect((await client.logs(incident_id)).map((row) => row.event_id).sort()).toEqual([
      'evt_demoted_first',
      'evt_opens',
    ]);
  });

  it('a demoted exception of another service stays apart from the incident', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id } = await client.only();
    await storeDemoted(culprit, client, EX({ service: { name: 'mailer' } }));
    await client.settled();
    expect(await client.logs(incident_id)).toHaveLength(1);
  });

  //
  it('suppressed duplicates of the one incident they can belong to are counted', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(20 * SECOND) }));
    const before = await client.only();
    const summary = SUP({ event_id: 'evt_a17_sup' });
    await client.send(summary);
    const incident = await client.only(98);
    expect(incident).toEqual({
      ...before,
      occurrence_count: 98,
      last_seen_at: summary.payload.last_seen,
    });
    expect(await client.logs(incident.incident_id)).toMatchObject([
      { event_id: 'evt_a17_sup', event_type: 'error_suppressed', level: null, is_sampled: false },
      { event_type: 'backend_exception', level: 'error', is_sampled: true },
    ]);
    await client.refreshed();
    expect((await client.bundle(incident.incident_id)).signal.occurrence_count).toBe(98);
    const kinds = (await client.ledger()).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['bundle.created', 'incident.opened']);
  });

  //
  it('a summary of suppressed errors opens nothing', async () => {
    const client = await connect(culprit);
    await client.send(SUP());
    await client.settled();
    expect(await client.list()).toEqual([]);
    expect(await client.ledger()).toEqual([]);
  });
});

function withoutStack(event: typeof CRUMB): typeof CRUMB {
  const { error_class: _class, message: _message, stacktrace: _stack, ...payload } = event.payload;
  return { ...event, payload };
}

/** As intake stores what a demote rule matched: kept, but as context. */
async function storeDemoted(
  culprit: TestCulprit,
  client: IncidentClient,
  event: object = EX(),
): Promise<void> {
  await storeBatch(culprit, client.project, [{ event, eventClass: 'context_signal', isDemoted: true }]);
}
