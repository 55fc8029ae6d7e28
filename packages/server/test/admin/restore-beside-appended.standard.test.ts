import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/admin/backup/create-backup.ts';
import { checkBackup, finishRestore, restoreBackup } from '../../src/admin/backup/restore-backup.ts';
import { readMigrations } from '../../src/platform/db/migrate.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { clientOf, connect, type IncidentClient } from '../support/incident-client.ts';
import { readRawObjects } from '../support/raw-objects.ts';
import { startTestPostgres } from '../support/test-postgres.ts';

/**
 * The database is lost, the files are kept, and the object that a backup knows has grown since (docs/operations.md).
 */

let directory: string;
let lost: TestCulprit;
let client: IncidentClient;
let objects: ObjectStore;
let projectId: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'culprit-beside-'));
  lost = await startCulprit();
  objects = await openObjectStore(lost.objectStore);
  client = await connect(lost);
  projectId = parseId(['proj'], client.project.projectId) ?? '';
});
afterAll(async () => {
  await lost?.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('a restore beside an object that has grown since', () => {
  it('finds what was appended after the backup, once, and nothing in what a crash left behind it', {
    timeout: 60_000,
  }, async () => {
    await client.send(EX(), EX());
    await client.counted(2);
    await lost.stopWorker();
    await client.send(EX());
    const backup = join(directory, 'backup');
    const config = { dataKey: lost.dataKey, dataDir: directory, objectStore: lost.objectStore };
    await createBackup(backup, { databaseUrl: lost.databaseUrl, objects, config });
    await client.send(EX(), EX());
    await client.send(EX());
    const { keys, files } = await readRawObjects(lost, projectId);
    const [key = ''] = files;
    expect([keys.length, files]).toEqual([4, [key]]);
    // A write whose sync never ended: its head is there, and the rest are zeros.
    const path = join(lost.objectDirectory, key);
    const whole = await readFile(path);
    const torn = Buffer.from(whole);
    torn.fill(0, torn.length - 40);
    await appendFile(path, torn);

    const databaseUrl = await (await startTestPostgres()).createDatabase();
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    const checked = await checkBackup(backup, migrations);
    await restoreBackup(backup, checked, { databaseUrl, objects, config, migrations });
    const nothingElse = { lostEvents: 0, unusableObjects: 0 };
    expect(await finishRestore(checked, { databaseUrl, objects })).toEqual({
      foundEvents: 3,
      ...nothingElse,
    });
    expect(await finishRestore(checked, { databaseUrl, objects })).toEqual({
      foundEvents: 0,
      ...nothingElse,
    });

    // One whose head is damaged is told of, and costs none of the others.
    const damaged = Buffer.from(whole);
    damaged.fill(0, 20, 30);
    await writeFile(path, damaged);
    expect(await finishRestore(checked, { databaseUrl, objects })).toEqual({
      foundEvents: 0,
      lostEvents: 0,
      unusableObjects: 1,
    });
    // The backup has it whole, and what was appended since stays.
    const another = await (await startTestPostgres()).createDatabase();
    await restoreBackup(backup, checked, { databaseUrl: another, objects, config, migrations });
    expect((await readFile(path)).equals(whole)).toBe(true);

    const service = await startCulprit({ databaseUrl, objectStore: lost.objectStore });
    try {
      await clientOf(service, client.project).counted(6);
    } finally {
      await service.stop();
    }
  });
});
