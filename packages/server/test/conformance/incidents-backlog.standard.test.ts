import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { startWorker } from '../../src/roles/worker.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { rebuildBundles } from '../support/rebuild-bundles.ts';
import { storeBatch } from '../support/store-batch.ts';
import { ago, EX, EX_FINGERPRINT, MINUTE, named } from './incidents-fixtures.ts';

/** Received before, processed after: these tests stop the worker in between, so they run one after the other. */
describe('events that wait while members act', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(() => culprit.stop());
  beforeEach(async () => {
    client = await connect(culprit);
  });

  //
  it('an event received before a resolve and processed after it is counted and leaves the incident resolved', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.settled();
    await culprit.stopWorker();
    await client.send(EX());
    const before = await client.ledger();
    const resolved = await client.resolve(incident_id);
    await culprit.startWorker();
    const incident = await client.only(2);
    expect(incident).toMatchObject({
      status: 'resolved',
      resolved_at: resolved.resolved_at,
      regressed_at: null,
    });
    await client.settled();
    expect((await client.ledger()).slice(before.length)).toMatchObject([{ kind: 'incident.resolved' }]);
    expect((await client.bundle(incident_id)).signal.occurrence_count).toBe(2);
  });

  it('an event received in the millisecond of the resolution does not undo it, one a millisecond later does', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    const resolvedAtMs = Date.parse((await client.resolve(incident_id)).resolved_at ?? '');
    await storeBatch(culprit, client.project, [{ event: EX() }], resolvedAtMs);
    expect(await client.only(2)).toMatchObject({ status: 'resolved' });
    await storeBatch(culprit, client.project, [{ event: EX() }], resolvedAtMs + 1);
    expect(await client.only(3)).toMatchObject({ status: 'regressed' });
    expect(await client.ledger('incident.regressed')).toHaveLength(1);
  });

  it('a backlog with events from before and after the resolution regresses the incident once and counts all', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    await culprit.stopWorker();
    await client.send(EX(), EX());
    await client.resolve(incident_id);
    await client.send(EX());
    await client.send(EX());
    await culprit.startWorker();
    expect(await client.only(5)).toMatchObject({ status: 'regressed' });
    expect(await client.ledger('incident.regressed')).toHaveLength(1);
  });

  it('the time an event claims does not matter to the state: old times regress, too', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.resolve(incident_id);
    await client.send(EX({ timestamp: ago(60 * MINUTE) }));
    expect(await client.only(2)).toMatchObject({ status: 'regressed' });
  });

  it('an event whose incident was resolved and reopened while it waited is counted into the open incident', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    await culprit.stopWorker();
    await client.send(EX());
    await client.resolve(incident_id);
    await client.reopen(incident_id);
    await culprit.startWorker();
    expect(await client.only(2)).toMatchObject({ status: 'open', resolved_at: null, regressed_at: null });
    expect(await client.ledger('incident.regressed')).toEqual([]);
  });

  it('two workers that meet first occurrences at once make one incident for each bug and count everything', async () => {
    await culprit.stopWorker();
    for (let n = 0; n < 30; n += 1) await client.send(EX(), named('Alpha'), named('Beta'));
    const { databaseUrl, objectStore } = culprit;
    const second = await startWorker(
      {
        databaseUrl,
        objectStore,
        plans: SELF_HOSTED,
        constants: { baseUrl: culprit.url, appUrl: culprit.url },
        logLevel: 'fatal',
        retryScale: 0.01,
        duties: ['events'],
      },
      createLogger({ level: 'fatal', role: 'test', toStandardError: true }),
    );
    try {
      await culprit.startWorker();
      const incidents = await client.counted(30, 30, 30);
      expect(new Set(incidents.map((incident) => incident.title)).size).toBe(3);
      expect(await client.ledger('incident.opened')).toHaveLength(3);
      const minutes = await culprit.database.query<{ occurrences: number }>(
        {
          name: 'test-minutes',
          text: `select sum(occurrences) as occurrences from incident_minutes join incidents using (incident_id)
            where fingerprint = decode($1, 'hex') and project_id = replace($2, 'proj_', '')::uuid`,
        },
        [EX_FINGERPRINT, client.project.projectId],
      );
      expect(minutes).toEqual([{ occurrences: 30 }]);
    } finally {
      await second.stop();
    }
  });

  //
  it('a bundle built again from equal inputs is the same document byte for byte', async () => {
    await client.send(EX({ event_id: 'evt_a41_1' }), EX({ event_id: 'evt_a41_2' }));
    const { incident_id } = await client.only(2);
    await client.settled();
    const path = `/v1/incidents/${incident_id}/bundle`;
    const headers = { authorization: `Bearer ${client.project.memberToken}` };
    const first = await (await fetch(culprit.url + path, { headers })).text();
    const [second = ''] = await rebuildBundles(culprit, client);
    expect(JSON.parse(second)).toMatchObject({ bundle_version: 1, metadata: { generation_number: 1 } });
    expect(second).toBe(first.replace(/"generation_number":\d+/, '"generation_number":1'));
  });
});
