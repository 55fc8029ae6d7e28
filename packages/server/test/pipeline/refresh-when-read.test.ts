import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestUnreadBundles } from '../../src/pipeline/bundles/queue/request-unread-bundles.ts';
import { parseId } from '../../src/platform/ids.ts';
import { EX, LOG } from '../conformance/incidents-fixtures.ts';
import { ageBundles } from '../support/age-bundles.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/**
 * A document that is only behind the counts of its incident is built when a reader comes (docs/contract/incidents.md
 * 3.9).
 */
describe.concurrent('a document that is behind its incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** A project with an incident whose document shows one occurrence. */
  async function withDocument(change: object = {}): Promise<{ client: IncidentClient; incidentId: string }> {
    const client = await connect(culprit);
    await client.send(EX(change));
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await nothingQueued(client);
    return { client, incidentId: incident_id };
  }

  /** The documents of a project that are queued to be built. */
  async function queued(client: IncidentClient): Promise<number> {
    return await countRows(culprit, `jobs where kind = 'bundles.build' and fairness_key = $1`, [
      projectOf(client),
    ]);
  }

  async function nothingQueued(client: IncidentClient): Promise<void> {
    await eventually(async () => expect(await queued(client)).toBe(0));
  }

  async function generation(client: IncidentClient): Promise<number> {
    return await countRows(culprit, 'bundles, generate_series(1, generation) where project_id = $1', [
      projectOf(client),
    ]);
  }

  /** Reads until the answer shows the newest: on a busy machine the time that a reader waits may be too short. */
  async function readNewest(client: IncidentClient, incidentId: string, newest: object): Promise<void> {
    await eventually(async () => expect(await read(client, incidentId)).toEqual(newest));
  }

  async function read(client: IncidentClient, incidentId: string): Promise<unknown> {
    return (await client.get(`/v1/incidents/${incidentId}/bundle`)).body;
  }

  async function subscribe(client: IncidentClient, events: readonly string[]): Promise<void> {
    const { projectId: project_id } = client.project;
    const url = 'https://hooks.example.com/culprit';
    expect((await client.post('/v1/webhooks', { project_id, url, events })).status).toBe(201);
  }

  const showing = (occurrence_count: number, generation_number: number) =>
    expect.objectContaining({
      signal: expect.objectContaining({ occurrence_count }),
      metadata: expect.objectContaining({ generation_number }),
    });

  it('is not built for a thousand more events, and shows all of them to the first reader', async () => {
    const { client, incidentId } = await withDocument();
    for (let request = 0; request < 20; request += 1) {
      await client.send(...Array.from({ length: 50 }, () => EX()));
    }
    await client.only(1001);
    await nothingQueued(client);
    expect(await generation(client)).toBe(1);
    await ageBundles(culprit, client);
    await readNewest(client, incidentId, showing(1001, 2));
  });

  it('is built once for readers that come together, under both addresses', async () => {
    const { client, incidentId } = await withDocument();
    await client.send(EX());
    await client.only(2);
    await ageBundles(culprit, client);
    const addresses = [incidentId, incidentId.replace('inc_', 'bun_')];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => read(client, addresses[n % 2] ?? incidentId)),
    );
    expect(answers).toContainEqual(showing(2, 2));
    await nothingQueued(client);
    expect(await generation(client)).toBe(2);
  });

  it('is built for one reader an interval, however many come and however much is counted', async () => {
    const { client, incidentId } = await withDocument();
    await client.send(...Array.from({ length: 20 }, () => EX()));
    await client.only(21);
    await ageBundles(culprit, client);
    await readNewest(client, incidentId, showing(21, 2));
    for (let total = 22; total < 26; total += 1) {
      await client.send(EX());
      await client.only(total);
      for (let reads = 0; reads < 5; reads += 1) {
        expect(await read(client, incidentId)).toEqual(showing(21, 2));
      }
    }
    expect(await queued(client)).toBe(0);
  });

  it('is built at a threshold without a reader where a webhook wants to be told', async () => {
    const { client } = await withDocument();
    await subscribe(client, ['bundle.updated']);
    await client.send(EX());
    await client.only(2);
    await eventually(async () => expect(await client.ledger('bundle.updated')).toHaveLength(1));
    await nothingQueued(client);
    await ageBundles(culprit, client);
    await client.send(EX(), EX());
    await client.only(4);
    await eventually(async () => expect(await client.ledger('bundle.updated')).toHaveLength(2));
    await nothingQueued(client);
    await ageBundles(culprit, client);
    await client.send(EX());
    await client.only(5);
    expect(await queued(client)).toBe(0);
  });

  it('is not built at a threshold where the webhooks want something else', async () => {
    const { client, incidentId } = await withDocument();
    await subscribe(client, ['bundle.created']);
    await client.send(EX());
    await client.only(2);
    await client.processed();
    expect(await queued(client)).toBe(0);
    await ageBundles(culprit, client);
    await readNewest(client, incidentId, showing(2, 2));
    expect(await client.ledger('bundle.updated')).toHaveLength(1);
  });

  it('is built without a reader when the events come from another release', async () => {
    const { client } = await withDocument({ context: { release: '1.0.0' } });
    await ageBundles(culprit, client);
    await client.send(EX({ context: { release: '1.0.1' } }));
    await client.only(2);
    await eventually(async () => expect(await generation(client)).toBe(2));
  });

  it('is built for a reader of the log rows, which has the context of the latest occurrence', async () => {
    const { client, incidentId } = await withDocument({ correlation: { trace_id: 'a' } });
    await client.send(LOG('info', 'before the first', { correlation: { trace_id: 'a' } }));
    await eventually(async () => expect(await client.logs(incidentId)).toHaveLength(2));
    await nothingQueued(client);
    await client.send(LOG('info', 'before the second', { correlation: { trace_id: 'b' } }));
    await client.processed();
    await client.send(EX({ correlation: { trace_id: 'b' } }));
    await client.only(2);
    await nothingQueued(client);
    await ageBundles(culprit, client);
    await eventually(async () => {
      const rows = await client.logs(incidentId);
      expect(rows.map(({ summary }) => summary)).toContain('before the second');
    });
  });

  it('is built without a reader after half a day, as long as the events are there', async () => {
    const { client, incidentId } = await withDocument();
    await client.send(EX());
    await client.only(2);
    await ageBundles(culprit, client, 11);
    expect(await requestUnreadBundles(culprit.database, projectOf(client), 10)).toBe(0);
    await ageBundles(culprit, client, 2);
    expect(await requestUnreadBundles(culprit.database, projectOf(client), 10)).toBe(1);
    await eventually(async () => expect(await generation(client)).toBe(2));
    await nothingQueued(client);
    expect(await requestUnreadBundles(culprit.database, projectOf(client), 10)).toBe(0);
    expect(await read(client, incidentId)).toEqual(showing(2, 2));
  });
});

function projectOf(client: IncidentClient): string {
  return parseId(['proj'], client.project.projectId) ?? '';
}
