import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/admin/backup/create-backup.ts';
import type { Manifest } from '../../src/admin/backup/manifest.ts';
import { checkBackup, finishRestore, restoreBackup } from '../../src/admin/backup/restore-backup.ts';
import { type Migration, readMigrations } from '../../src/platform/db/migrate.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { snapshotDatabase } from '../support/database-snapshot.ts';
import { clientOf, connect, type IncidentClient } from '../support/incident-client.ts';
import { giveCredentials } from '../support/object-stores.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { startTestPostgres } from '../support/test-postgres.ts';

/**
 * The database is lost, the objects are kept, and the backup is older than both (docs/operations.md): what was accepted
 * after it is found in the objects and counts once; what waited and has no object any more is a dead letter.
 */

let directory: string;
let s3: S3Server;
let forgetCredentials: () => void;
let lost: TestCulprit;
let client: IncidentClient;
let objects: ObjectStore;
let migrations: Migration[];
let backup: string;
let manifest: Manifest;
let folder: string;
let missingKey: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'culprit-beside-'));
  migrations = await readMigrations(MIGRATIONS_FOLDER);
  // A store in which each window of intake has an object of its own.
  s3 = await startS3Server();
  forgetCredentials = giveCredentials(s3.credentials);
  lost = await startCulprit({ objectStore: s3.place() });
  objects = await openObjectStore(lost.objectStore);
  client = await connect(lost);
  folder = `raw/${parseId(['proj'], client.project.projectId)}`;
  await client.send(EX(), EX(), EX());
  await client.bundle((await client.only(3)).incident_id);
  await lost.stopWorker();
  await client.send(EX(), EX());
  const before = await keys();
  await client.send(EX(), EX());
  [missingKey = ''] = (await keys()).filter((key) => !before.includes(key));
  await objects.delete(missingKey);
  backup = join(directory, 'backup');
  const config = { dataKey: lost.dataKey, dataDir: directory };
  manifest = await createBackup(backup, { databaseUrl: lost.databaseUrl, objects, config });
  const known = await keys();
  await client.send(EX());
  await client.send(EX(), EX());
  await client.send(EX());
  await client.send(EX());
  // The service went on for a while.
  await lost.startWorker();
  await client.counted(10);
  await lost.stopWorker();
  // The last three were put together by retention, and of one of them the own object is still there.
  const newer = (await keys()).filter((key) => !known.includes(key));
  expect(newer).toHaveLength(4);
  const parts = await Promise.all(newer.slice(1).map((key) => objects.get(key)));
  const day = newer[0]?.split('/')[2];
  await objects.put(`${folder}/${day}/${randomUUID()}`, Buffer.concat(parts));
  for (const key of newer.slice(2)) await objects.delete(key);
  // Of a project that began after the backup, and no object at all.
  await objects.put(`raw/${randomUUID()}/${day}/${randomUUID()}`, parts[0] ?? Buffer.alloc(0));
  await objects.put(`${folder}/${day}/${randomUUID()}`, Buffer.from('CULPRAW1 and nothing else'));
}, 120_000);
afterAll(async () => {
  await lost?.stop();
  await s3?.close();
  forgetCredentials?.();
  await rm(directory, { recursive: true, force: true });
});

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const key of objects.list(folder)) found.push(key);
  return found.sort();
}

/** The restore as the command does it. */
async function restore(databaseUrl: string, store = objects): Promise<object> {
  const config = { dataKey: lost.dataKey, dataDir: directory, objectStore: lost.objectStore };
  const checked = await checkBackup(backup, migrations);
  await restoreBackup(backup, checked, { databaseUrl, objects: store, config, migrations });
  return await finishRestore(checked, { databaseUrl, objects: store });
}

describe('a restore beside newer objects', () => {
  it('finds what was accepted after the backup, once, and names what is lost', {
    timeout: 60_000,
  }, async () => {
    expect(manifest.objects).toMatchObject({ missing_count: 1, missing_keys: [missingKey] });
    const databaseUrl = await (await startTestPostgres()).createDatabase();
    // Cut off in the middle of the newer objects, and repeated.
    let listed = 0;
    const failing: ObjectStore = {
      ...objects,
      async *list(asked) {
        for await (const key of objects.list(asked)) {
          listed += asked === 'raw' ? 1 : 0;
          if (listed > 5) throw new Error('cut off');
          yield key;
        }
      },
    };
    await expect(restore(databaseUrl, failing)).rejects.toThrow('cut off');
    expect(await restore(databaseUrl)).toMatchObject({ lostEvents: 2, unusableObjects: 2 });

    const service = await startCulprit({ databaseUrl, objectStore: lost.objectStore });
    try {
      const restored = clientOf(service, client.project);
      const [incident] = await restored.counted(10);
      await restored.settled();
      await restored.bundle(incident?.incident_id ?? '');
      const letters = await service.database.query({
        name: 'test-dead-letters',
        text: 'select reason, position from dead_letters order by position',
      });
      expect(letters).toEqual(
        [0, 1].map((position) => ({ reason: `object ${missingKey} is missing`, position })),
      );
      const fates = await service.database.query({
        name: 'test-fates',
        text: 'select fate, sum(events)::integer as events from event_fates group by fate order by fate',
      });
      expect(fates).toEqual([
        { fate: 'dead_letter', events: 2 },
        { fate: 'processed', events: 10 },
        { fate: 'submitted', events: 12 },
      ]);
      // Of a living installation it says so, and leaves everything as it is.
      const before = await snapshotDatabase(service.database);
      await expect(restore(databaseUrl)).rejects.toThrow('nothing was done: a server is using this database');
      expect(await snapshotDatabase(service.database)).toEqual(before);
    } finally {
      await service.stop();
    }
    await expect(restore(databaseUrl)).rejects.toThrow('nothing was done: this backup was already restored');
    expect(await finishRestore(manifest, { databaseUrl, objects })).toEqual({
      foundEvents: 0,
      lostEvents: 0,
      unusableObjects: 2,
    });
  });

  it('is refused beside objects of other projects only', async () => {
    const other = await openObjectStore({ kind: 'files', directory: join(directory, 'other') });
    await other.put(`raw/${randomUUID()}/2026-01-01/${randomUUID()}`, Buffer.from('x'));
    const databaseUrl = await (await startTestPostgres()).createDatabase();
    await expect(restore(databaseUrl, other)).rejects.toThrow('has no objects of the projects in the backup');
    expect(await readdir(join(directory, 'other'))).toEqual(['raw', 'tmp']);
    expect(await readFile(join(backup, 'manifest.json'), 'utf8')).toContain(manifest.backup_id);
  });
});
