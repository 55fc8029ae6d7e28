import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/admin/backup/manifest.ts';
import { checkBackup, restoreBackup } from '../../src/admin/backup/restore-backup.ts';
import { keepSafetyCopy } from '../../src/admin/backup/safety-copy.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { type Migration, migrate, readMigrations } from '../../src/platform/db/migrate.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { snapshotDatabase } from '../support/database-snapshot.ts';
import { startTestPostgres } from '../support/test-postgres.ts';

let culprit: TestCulprit;
let dataDir: string;
let current: Migration[];
/** Of the release after this one. */
let next: Migration[];
const lines: string[] = [];
const log = pino(
  new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  }),
);

beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
  await culprit.createProject({ name: 'shop' });
  dataDir = await mkdtemp(join(tmpdir(), 'culprit-upgrade-'));
  current = await readMigrations(MIGRATIONS_FOLDER);
  next = [
    ...current,
    { name: '9998_a.sql', text: 'create table added_a (a integer);', checksum: 'a', needs: null },
    { name: '9999_b.sql', text: 'create table added_b (b integer);', checksum: 'b', needs: null },
  ];
});
afterAll(async () => {
  await culprit.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function keep(migrations: readonly Migration[], changes: { max?: number; free?: number; url?: string } = {}) {
  const { max = 1024 ** 3, free = 1, url = culprit.databaseUrl } = changes;
  const config = { dataDir, dataKey: null, freeSpaceMinBytes: free, upgradeCopyMaxBytes: max };
  return keepSafetyCopy({ databaseUrl: url, config, migrations, log });
}

const place = () => join(dataDir, 'before-upgrade');

describe('the copy before an upgrade', () => {
  it('is not made where nothing is migrated, at a first start, of a large database or on a full volume', async () => {
    await keep(current);
    await keep(next, { url: await (await startTestPostgres()).createDatabase() });
    expect(lines).toEqual([]);
    await keep(next, { max: 1000 });
    await keep(next, { free: 1024 ** 5 });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      expect.stringContaining('larger than CULPRIT_UPGRADE_COPY_MAX_BYTES'),
      expect.stringContaining('too little free space'),
    ]);
    expect(existsSync(place())).toBe(false);
  });

  it('is the last one, from before the first migration, and brings the database back', async () => {
    await mkdir(join(dataDir, 'before-upgrade-next.unfinished-1'));
    await keep(next);
    expect(readdirSync(dataDir)).toEqual(['before-upgrade']);
    const made = await readManifest(place());
    expect(made.objects).toBeNull();
    const before = await snapshotDatabase(culprit.database);

    // Cut off behind the first of two migrations: what was copied before is kept.
    await migrate(culprit.database, next.slice(0, -1));
    await keep(next);
    expect((await readManifest(place())).backup_id).toBe(made.backup_id);

    const url = await (await startTestPostgres()).createDatabase();
    const objectStore = { kind: 'files', directory: join(dataDir, 'objects') } as const;
    const objects = await openObjectStore(objectStore);
    await objects.put('raw/kept/object', Buffer.from('x'));
    await restoreBackup(place(), await checkBackup(place(), current), {
      databaseUrl: url,
      objects,
      config: { dataDir, dataKey: null, objectStore },
      migrations: current,
    });
    const restored = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
    expect(await snapshotDatabase(restored)).toEqual(before);
    await restored.close();
  });

  it('that fails stops the upgrade with a sentence that says how to go on', async () => {
    const file = join(dataDir, 'objects', 'raw', 'kept', 'object');
    await expect(
      keepSafetyCopy({
        databaseUrl: culprit.databaseUrl,
        config: { dataDir: file, dataKey: null, freeSpaceMinBytes: 1, upgradeCopyMaxBytes: 1024 ** 3 },
        migrations: next,
        log,
      }),
    ).rejects.toThrow('CULPRIT_UPGRADE_COPY_MAX_BYTES=0');
  });
});
