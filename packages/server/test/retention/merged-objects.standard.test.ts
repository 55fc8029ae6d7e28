// Proves 31.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/admin/backup/create-backup.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { cleanProject } from '../../src/upkeep/retention/clean-project.ts';
import { mergeRawObjects } from '../../src/upkeep/retention/merge-raw-objects.ts';
import { DAY, EX, HOUR, LOG, MINUTE, named } from '../conformance/incidents-fixtures.ts';
import { planDeathAt } from '../reliability/fault-plan.ts';
import { faultyDatabase } from '../reliability/faulty-database.ts';
import { faultyObjects } from '../reliability/faulty-objects.ts';
import { buildShop } from '../support/built-shop.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { giveCredentials } from '../support/object-stores.ts';
import { type RawObjects, readRawObjects } from '../support/raw-objects.ts';
import { rebuildBundles } from '../support/rebuild-bundles.ts';
import { ageTo, claimCleaning, cleaningOptions, QUICK_LOOKS } from '../support/retention.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

/**
 * Small raw objects become one for half a day, without a reference that breaks: those of a store that cannot append, which
 * has one for each window of intake.
 */

const PLANS = { ...SELF_HOSTED, retention: { rawDays: 7, incidentDays: 14 } };
const NAMES = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon'];
/** Each case begins at three in the night: what it sends is of the first half of a day, which is merged from 14:00 on. */
const MERGED = 12 * HOUR;
const SEED = chooseSeed();

describe(`the small raw objects of half a day (seed ${SEED})`, { timeout: 120_000 }, () => {
  let s3: S3Server;
  let forgetCredentials: () => void;
  let culprit: TestCulprit;
  let client: IncidentClient;
  let projectId: string;
  const now = Date.now();
  let startMs = DAY + 3 * HOUR - (now % DAY);
  beforeAll(async () => {
    s3 = await startS3Server();
    forgetCredentials = giveCredentials(s3.credentials);
    culprit = await startCulprit({ plans: PLANS, objectStore: s3.place(), ...QUICK_LOOKS });
  });
  afterAll(async () => {
    await culprit.stop();
    await s3.close();
    forgetCredentials();
  });
  beforeEach(async () => {
    startMs += 30 * DAY;
    await begin();
  });

  /** A project of its own, when those before are looked after. */
  async function begin(): Promise<void> {
    await ageTo(culprit, startMs);
    client = await connect(culprit);
    projectId = parseId(['proj'], client.project.projectId) ?? '';
  }

  const pass = (durationMs: number) => ageTo(culprit, startMs + durationMs);
  const raw = () => readRawObjects(culprit, projectId);

  async function sendEach(names: readonly string[]): Promise<void> {
    for (const name of names) await client.send(named(name));
    await client.processed();
  }

  function expectWhole(found: RawObjects, batches: number, objects: number): void {
    expect([found.keys.length, new Set(found.keys).size, found.broken]).toEqual([batches, objects, []]);
  }

  it('become one when it is over, and every event is found in it', async () => {
    const correlation = { trace_id: 'trace-1' };
    await client.send(LOG('info', 'the cart was empty', { correlation }));
    await sendEach(NAMES);
    await client.send(EX({ correlation }));
    await client.refreshed();
    const before = await rebuildBundles(culprit, client);
    expect(before).toHaveLength(NAMES.length + 1);
    expect(before.filter((document) => document.includes('the cart was empty'))).toHaveLength(1);
    await pass(10 * HOUR);
    expectWhole(await raw(), 7, 7);

    await pass(MERGED);
    const merged = await raw();
    expectWhole(merged, 7, 1);
    expect(merged.files).toHaveLength(8);
    expect(await rebuildBundles(culprit, client)).toEqual(before);
    await client.send(EX());
    await client.refreshed();

    await pass(MERGED + 3 * DAY + 2 * HOUR);
    const kept = await raw();
    expectWhole(kept, 8, 2);
    expect(kept.files).toEqual([...new Set(kept.keys)].sort());
    expect(await countRows(culprit, 'object_tombstones where project_id = $1', [projectId])).toBe(0);
  });

  it('stand beside source maps of the same store, of which parts are read by their ranges', async () => {
    const shop = await buildShop('s3');
    const { files } = await uploadMaps(culprit, client.project, [shop]);
    expect(files).toMatchObject([{ verdict: 'ready' }]);
    const keys = () => [...s3.objects.keys()].filter((key) => key.includes(`maps/${projectId}/`));
    expect(keys()).toHaveLength(1);
    const address = 'https://shop.example/assets/index.js';
    const { line, column } = shop.place('price.amount');
    const stack = `TypeError: x\n    at e (${address}:${line}:${column})`;
    const payload = { name: 'TypeError', message: 'no price', stack, debug_ids: { [address]: shop.debugId } };
    await client.send({ ...EX(), event_type: 'frontend_exception', payload });
    const { incident_id: id } = await client.only();
    expect((await client.bundle(id)).context.stack?.frames[0]).toMatchObject({
      file: 'src/cart.ts',
      line: 5,
    });
    const path = `/v1/projects/${client.project.projectId}/source-maps/${files[0]?.source_map_id}`;
    expect((await managementClient(culprit, client.project.memberToken).delete(path)).status).toBe(200);
    await pass(3 * HOUR);
    expect(keys()).toEqual([]);
  });

  it('that are large, split, lost, damaged or alone stay as they are', async () => {
    const [lost, damaged, split, first, second] = NAMES;
    for (const name of NAMES) await client.send(named(name));
    const noise = randomBytes(90_000).toString('base64');
    await client.send(LOG('error', 'large', { payload: { attributes: { noise } } }));
    await client.refreshed();
    const { keys } = await raw();
    const placeOf = (name: string | undefined) => `culprit/${keys[NAMES.indexOf(name ?? '')]}`;
    s3.objects.delete(placeOf(lost));
    s3.objects.set(placeOf(damaged), Buffer.from('x'));
    await culprit.database.query(
      {
        name: 'test-split',
        text: 'update batches set split_at = processed_at, processed_at = null where object_key = $1',
      },
      [keys[NAMES.indexOf(split ?? '')] ?? ''],
    );
    await pass(MERGED);
    const after = await raw();
    const stayed = after.keys.filter((key, at) => key === keys[at]);
    expect(stayed).toEqual(
      [lost, damaged, split, 'large'].map((name) => keys[[...NAMES, 'large'].indexOf(name ?? '')]),
    );
    expect(after.keys[NAMES.indexOf(first ?? '')]).toBe(after.keys[NAMES.indexOf(second ?? '')]);
    expect(after.broken).toHaveLength(2);

    startMs += 30 * DAY;
    await begin();
    await sendEach(['Alone']);
    const alone = await raw();
    await pass(MERGED);
    expect(await raw()).toEqual(alone);
  });

  it('wait until all of them are counted', async () => {
    await sendEach(NAMES);
    await culprit.stopWorker();
    await client.send(named('Waiting'));
    await moveClock(culprit.database, startMs + DAY);
    for (let job = await claimCleaning(culprit); job !== undefined; job = await claimCleaning(culprit)) {
      await cleanProject(job, await cleaningOptions(culprit, PLANS));
    }
    expectWhole(await raw(), 6, 6);
    await culprit.startWorker();
    await client.processed();
    await pass(DAY + 2 * HOUR);
    expectWhole(await raw(), 6, 1);
  });

  it('go with the last of their events', async () => {
    await sendEach(NAMES.slice(0, 2));
    await pass(5 * HOUR);
    await sendEach(NAMES.slice(2));
    await pass(MERGED);
    const [mergedKey = ''] = (await raw()).keys;
    await pass(7 * DAY + 2 * HOUR);
    const some = await raw();
    expectWhole(some, 3, 1);
    expect(some.files).toEqual([mergedKey]);
    await pass(7 * DAY + 6 * HOUR);
    const none = await raw();
    expect([none.keys, none.files]).toEqual([[], [mergedKey]]);
    await pass(7 * DAY + 8 * HOUR);
    expect((await raw()).files).toEqual([]);
  });

  it('are never lost, whichever step of whose life is the last', async () => {
    await sendEach(NAMES);
    await client.refreshed();
    await culprit.stopWorker();
    await culprit.database.query(
      { name: 'test-only', text: `update projects set retention_due_at = 'infinity' where project_id <> $1` },
      [projectId],
    );
    const random = seededRandom(SEED);
    let died = 0;
    let clockMs = startMs + MERGED;
    for (let stepOfDeath = 1; ; stepOfDeath += 1) {
      clockMs += MINUTE;
      await moveClock(culprit.database, clockMs);
      const job = await claimCleaning(culprit);
      // The last life died behind its commit.
      if (job === undefined) break;
      const guard = planDeathAt(stepOfDeath, random.pick(['dies', 'dies-late']));
      const own = {
        database: faultyDatabase(culprit.database, guard),
        objects: faultyObjects(await openObjectStore(culprit.objectStore), guard),
      };
      await cleanProject(job, await cleaningOptions(culprit, PLANS, own)).catch((error: unknown) => {
        if (!guard.isDead()) throw error;
        died += 1;
      });
      expect((await raw()).broken).toEqual([]);
      if (!guard.isDead()) break;
    }
    expect(died).toBeGreaterThan(15);
    expectWhole(await raw(), 5, 1);
    // What the dead had stored and nobody names goes by itself.
    await culprit.startWorker();
    await ageTo(culprit, clockMs + 3 * DAY + 2 * HOUR);
    const { keys, files } = await raw();
    expect(files).toEqual([...new Set(keys)]);
  });

  it('are merged once by two workers, and not for a project that is being deleted', async () => {
    await sendEach(NAMES);
    await culprit.stopWorker();
    await moveClock(culprit.database, startMs + MERGED);
    const time = { fromMs: now + startMs - 3 * HOUR, countedUntilMs: now + startMs + MERGED };
    const real = await openObjectStore(culprit.objectStore);
    const merge = async (objects: ObjectStore) => {
      for await (const _step of mergeRawObjects(projectId, time, { database: culprit.database, objects }));
    };
    const set = async (deletedAt: string) =>
      await culprit.database.query(
        {
          name: `test-deleted-${deletedAt}`,
          text: `update projects set deleted_at = ${deletedAt} where project_id = $1`,
        },
        [projectId],
      );
    await set('culprit_now()');
    await merge(real);
    expect((await raw()).files).toHaveLength(5);
    await set('null');
    // Neither knows of the other before both have read everything.
    let readers = 0;
    const { promise: bothRead, resolve: release } = Promise.withResolvers<void>();
    const meeting: ObjectStore = {
      ...real,
      async put(key, bytes) {
        readers += 1;
        if (readers === 2) release();
        await bothRead;
        await real.put(key, bytes);
      },
    };
    await Promise.all([merge(meeting), merge(meeting)]);
    expectWhole(await raw(), 5, 1);
    await culprit.startWorker();
    await pass(MERGED + 3 * DAY + 2 * HOUR);
    const { keys, files } = await raw();
    expect(files).toEqual([...new Set(keys)]);
  });

  it('are there for a backup that read their rows before, and in one that reads them afterwards', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'culprit-merged-'));
    try {
      await sendEach(NAMES);
      const objects = await openObjectStore(culprit.objectStore);
      let merging: Promise<void> | undefined;
      /** The raw objects of the project that a backup asks for; `doFirst` happens behind its look at the rows. */
      async function backUp(name: string, doFirst: () => Promise<void>): Promise<string[]> {
        const asked: string[] = [];
        const { objects: packed } = await createBackup(join(directory, name), {
          databaseUrl: culprit.databaseUrl,
          objects: {
            ...objects,
            async get(key) {
              await doFirst();
              if (key.startsWith(`raw/${projectId}/`)) asked.push(key);
              return await objects.get(key);
            },
          },
          config: { dataKey: null, dataDir: directory },
        });
        expect(packed?.missing_keys.filter((key) => key.includes(projectId))).toEqual([]);
        return asked;
      }
      const before = await backUp('before', async () => {
        merging ??= pass(MERGED).then(() => pass(MERGED + 2 * DAY));
        await merging;
      });
      const { keys } = await raw();
      expect(before).toHaveLength(5);
      expect(new Set(keys).size).toBe(1);
      expect(await backUp('after', async () => {})).toEqual([keys[0]]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
