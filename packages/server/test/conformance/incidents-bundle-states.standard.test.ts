import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { startWorker } from '../../src/roles/worker.ts';
import { ageBundles } from '../support/age-bundles.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { EX, EXR } from './incidents-fixtures.ts';

/** Retries follow their ladder a thousand times as fast. */
const RETRY_SCALE = 0.001;

/** What the bundle and reproduction endpoints answer besides a document (docs/contract/incidents.md 2.4, 2.5). */
describe('the states of a bundle', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: RETRY_SCALE });
  });
  afterAll(() => culprit.stop());
  beforeEach(async () => {
    client = await connect(culprit);
  });

  /** Counts an event whose incident's bundle nobody builds yet. */
  async function withoutBundle(event: object = EX()): Promise<string> {
    await culprit.stopWorker();
    const before = (await client.list())[0]?.occurrence_count ?? 0;
    await client.send(event);
    const worker = await startWorker(
      {
        databaseUrl: culprit.databaseUrl,
        objectStore: culprit.objectStore,
        plans: SELF_HOSTED,
        constants: { baseUrl: culprit.url, appUrl: culprit.url },
        logLevel: 'fatal',
        retryScale: RETRY_SCALE,
        duties: ['events'],
      },
      createLogger({ level: 'fatal', role: 'test', toStandardError: true }),
    );
    const { incident_id } = await client.only(before + 1);
    await worker.stop();
    return incident_id;
  }

  /** Makes the database refuse every stored generation, or allows them again. */
  async function refuseGenerations(isRefused: boolean): Promise<void> {
    await culprit.database.script(`
      create or replace function test_refuse() returns trigger language plpgsql as $$
        begin raise exception 'refused by a test'; end $$;
      drop trigger if exists test_refuse on bundles;
      ${
        isRefused
          ? `create trigger test_refuse before update on bundles for each row
        when (new.status = 'ready') execute function test_refuse();`
          : ''
      }`);
  }

  async function objectFile(table: 'batches' | 'bundles'): Promise<string> {
    const [row] = await culprit.database.query<{ object_key: string }>(
      {
        name: `test-object-of-${table}`,
        text: `select object_key from ${table} where project_id = replace($1, 'proj_', '')::uuid`,
      },
      [client.project.projectId],
    );
    return join(culprit.objectDirectory, row?.object_key ?? '');
  }

  async function answers(incidentId: string) {
    const [bundle, reproduction] = await Promise.all(
      ['bundle', 'reproduction'].map((what) => client.get(`/v1/incidents/${incidentId}/${what}`)),
    );
    return {
      bundle: [bundle?.status, bundle?.body],
      reproduction: [reproduction?.status, reproduction?.body],
    };
  }

  it('is pending while the first generation is still to come', async () => {
    const incidentId = await withoutBundle();
    expect(await answers(incidentId)).toEqual({
      bundle: [200, { status: 'pending' }],
      reproduction: [200, { status: 'pending' }],
    });
    expect(await client.ledger('bundle.created')).toEqual([]);
    await culprit.startWorker();
    expect((await client.bundle(incidentId)).metadata.generation_number).toBe(1);
    expect(await client.ledger('bundle.created')).toHaveLength(1);
  });

  it('tells of a resolution although there is no bundle yet, and builds it afterwards', async () => {
    const incidentId = await withoutBundle();
    await client.resolve(incidentId);
    expect(await client.ledger('incident.resolved')).toHaveLength(1);
    await culprit.startWorker();
    expect((await client.bundle(incidentId)).bundle_id).toBe(incidentId.replace('inc_', 'bun_'));
  });

  it('is failed when the evidence is gone before the first generation', async () => {
    const incidentId = await withoutBundle();
    await rm(await objectFile('batches'));
    await culprit.startWorker();
    await client.settled();
    expect(await answers(incidentId)).toEqual({
      bundle: [200, { status: 'failed', reason: 'evidence_expired' }],
      reproduction: [404, { error: 'reproduction_not_found' }],
    });
    expect(await client.ledger('bundle.created')).toEqual([]);
  });

  it('is failed after five attempts, and built by the next signal once that is possible', async () => {
    const incidentId = await withoutBundle();
    await refuseGenerations(true);
    try {
      await culprit.startWorker();
      await client.settled();
      expect((await answers(incidentId)).bundle).toEqual([
        200,
        { status: 'failed', reason: 'generation_error' },
      ]);
      expect(await client.ledger('bundle.created')).toEqual([]);
    } finally {
      await refuseGenerations(false);
    }
    await client.send(EX());
    expect((await client.bundle(incidentId)).signal.occurrence_count).toBe(2);
    expect(await client.ledger('bundle.created')).toHaveLength(1);
  });

  it('is pending again while it is tried once more after a failure', async () => {
    const incidentId = await withoutBundle();
    await rm(await objectFile('batches'));
    await culprit.startWorker();
    await client.settled();
    expect((await answers(incidentId)).bundle).toEqual([
      200,
      { status: 'failed', reason: 'evidence_expired' },
    ]);
    await withoutBundle();
    expect((await answers(incidentId)).bundle).toEqual([200, { status: 'pending' }]);
    await culprit.startWorker();
    expect((await client.bundle(incidentId)).signal.occurrence_count).toBe(2);
  });

  it('stays readable when a later generation cannot be built', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    const first = await client.bundle(incident_id);
    await client.send(EX());
    await client.only(2);
    await ageBundles(culprit, client);
    await refuseGenerations(true);
    try {
      expect((await answers(incident_id)).bundle).toEqual([200, first]);
    } finally {
      await refuseGenerations(false);
    }
    expect((await client.bundle(incident_id, 2)).signal.occurrence_count).toBe(2);
  });

  it('is read unchanged until a worker builds the next one', async () => {
    await client.send(EX());
    const { incident_id } = await client.only();
    const first = await client.bundle(incident_id);
    await withoutBundle();
    await ageBundles(culprit, client);
    for (let reads = 0; reads < 3; reads += 1) {
      expect((await answers(incident_id)).bundle).toEqual([200, first]);
    }
    expect(await countRows(culprit, `jobs where key = $1`, [incident_id.slice(4)])).toBe(1);
    await culprit.startWorker();
    await eventually(async () => {
      expect(await countRows(culprit, `jobs where key = $1`, [incident_id.slice(4)])).toBe(0);
    });
    expect((await client.bundle(incident_id)).signal.occurrence_count).toBe(2);
  });

  it('is made of the evidence that is left when some of it is damaged', async () => {
    await client.send(EX({ event_id: 'evt_damaged' }));
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await damage(await objectFile('batches'));
    await client.send(EX({ event_id: 'evt_sound' }));
    const { context } = await client.bundle(incident_id, 2);
    expect(context.occurrences?.items.map(({ event_id }) => event_id)).toEqual(['evt_sound']);
  });

  it('is failed when the stored document is gone, and the next generation repairs that', async () => {
    await client.send(EXR());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await rm(await objectFile('bundles'));
    expect(await answers(incident_id)).toEqual({
      bundle: [200, { status: 'failed', reason: 'artifact_unreadable' }],
      reproduction: [404, { error: 'reproduction_not_found' }],
    });
    await client.send(EXR());
    await eventually(async () => {
      expect((await client.bundle(incident_id)).metadata.generation_number).toBe(2);
    });
  });

  it.each<[name: string, spoil: (file: string) => Promise<void>]>([
    ['cut', async (file) => writeFile(file, (await readFile(file)).subarray(0, 1000))],
    [
      'cut, and was not compressed',
      async (file) => writeFile(file, (await plainDocument(file)).subarray(0, 1000)),
    ],
    ['damaged', damage],
  ])('is failed when the stored document is %s', async (_, spoil) => {
    await client.send(EXR());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await spoil(await objectFile('bundles'));
    expect(await answers(incident_id)).toEqual({
      bundle: [200, { status: 'failed', reason: 'artifact_unreadable' }],
      reproduction: [404, { error: 'reproduction_not_found' }],
    });
  });

  it('is stored compressed, and read without', async () => {
    await client.send(EXR());
    const { incident_id } = await client.only();
    const bundle = await client.bundle(incident_id);
    const file = await objectFile('bundles');
    const plain = await plainDocument(file);
    expect((await readFile(file)).length).toBeLessThan(plain.length / 2);
    await writeFile(file, plain);
    expect((await answers(incident_id)).bundle).toEqual([200, bundle]);
  });
});

async function plainDocument(file: string): Promise<Buffer> {
  return zstdDecompressSync(await readFile(file));
}

/** Turns the last bytes of an object over. */
async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  for (let at = bytes.length - 40; at < bytes.length; at += 1) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  await writeFile(file, bytes);
}
