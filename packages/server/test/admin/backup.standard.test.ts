// Proves 29.
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackup } from '../../src/admin/backup/create-backup.ts';
import type { Manifest } from '../../src/admin/backup/manifest.ts';
import { checkBackup, finishRestore, restoreBackup } from '../../src/admin/backup/restore-backup.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { type Migration, readMigrations } from '../../src/platform/db/migrate.ts';
import { type ObjectStoreLocation, openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { storeDataKey } from '../../src/platform/secrets/data-key.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { createFullProject } from '../reliability/full-project.ts';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { snapshotDatabase } from '../support/database-snapshot.ts';
import { clientOf } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { giveCredentials } from '../support/object-stores.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startTestPostgres } from '../support/test-postgres.ts';

// Runs on the oldest PostgreSQL too.

/** What no backup holds: unlogged tables, and what belongs to the place. */
const NOT_KEPT = [
  ...['rate_windows', 'sign_in_mails', 'sign_in_rates', 'availability_tests', 'object_store'],
  ...['processes', 'backups', 'heartbeat_watch', 'map_chunks'],
];
/** What a restored database makes itself. */
const MADE_ANEW = ['incident_titles', 'lifecycle_feed', 'schema_migrations'];

/** Rows and objects of a whole backup know each other. */
const NOTHING_ELSE = { foundEvents: 0, lostEvents: 0, unusableObjects: 0 };

let culprit: TestCulprit;
let directory: string;
let migrations: Migration[];
let backup: string;
let manifest: Manifest;
let source: Record<string, string>;
let project: TestProject;
let shop: BuiltShop;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'culprit-backup-'));
  migrations = await readMigrations(MIGRATIONS_FOLDER);
  culprit = await startCulprit({ retryScale: 0.02 });
  project = await createFullProject(culprit, { email: 'backup@example.test', name: 'shop' });
  shop = await buildShop('first');
  await uploadMaps(culprit, project, [shop]);
  await culprit.stopWorker();
  await culprit.database.script(`
    insert into dead_letters (project_id, batch_id, position, reason, attempts)
      select project_id, gen_random_uuid(), 0, E'a\\tb\\nc\\\\.\\r' || chr(8364), 8 from projects`);
  await storeDataKey(join(directory, 'source'), new Secret(randomBytes(32)));
  backup = join(directory, 'backup');
  manifest = await createBackup(backup, {
    databaseUrl: culprit.databaseUrl,
    objects: await openObjectStore(culprit.objectStore),
    config: { dataKey: null, dataDir: join(directory, 'source') },
  });
  source = await snapshot(culprit.databaseUrl);
}, 120_000);
afterAll(async () => {
  await culprit.stop();
  await rm(directory, { recursive: true, force: true });
});

async function snapshot(url: string): Promise<Record<string, string>> {
  const database = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
  try {
    const digests = await snapshotDatabase(database);
    return Object.fromEntries(Object.entries(digests).filter(([name]) => !NOT_KEPT.includes(name)));
  } finally {
    await database.close();
  }
}

interface Target {
  databaseUrl: string;
  objectStore: ObjectStoreLocation;
  dataDir: string;
  restore(from?: string): Promise<void>;
}

async function createTarget(databaseUrl?: string, objectStore?: ObjectStoreLocation): Promise<Target> {
  const dataDir = await mkdtemp(join(directory, 'target-'));
  const url = databaseUrl ?? (await (await startTestPostgres()).createDatabase());
  const place = objectStore ?? { kind: 'files', directory: join(dataDir, 'objects') };
  return {
    databaseUrl: url,
    objectStore: place,
    dataDir,
    async restore(from = backup) {
      const checked = await checkBackup(from, migrations);
      const objects = await openObjectStore(place);
      const config = { dataKey: null, dataDir, objectStore: place };
      await restoreBackup(from, checked, { databaseUrl: url, objects, config, migrations });
      expect(await finishRestore(checked, { databaseUrl: url, objects })).toEqual(NOTHING_ELSE);
    },
  };
}

async function objectsAt(place: ObjectStoreLocation): Promise<Map<string, Buffer>> {
  const store = await openObjectStore(place);
  const rows = await culprit.database.query<{ key: string }>({
    name: 'test-object-keys',
    text: `select object_key as key from batches union select object_key from bundles where object_key is not null
      union select bundle_object_key from improvements where bundle_object_key is not null
      union select object_key from source_maps where object_key is not null union select object_key from map_upload_parts`,
  });
  const found = new Map<string, Buffer>();
  for (const { key } of rows) if (await store.exists(key)) found.set(key, await store.get(key));
  return found;
}

describe('a backup', () => {
  it('holds every table that is kept, with its rows, and every object that a row names', async () => {
    const tables = await culprit.database.query<{ name: string }>({
      name: 'test-tables',
      text: `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p') and not relispartition order by 1`,
    });
    expect(manifest.tables.map(({ name }) => name)).toEqual(
      tables.map(({ name }) => name).filter((name) => ![...NOT_KEPT, ...MADE_ANEW].includes(name)),
    );
    expect(manifest.tables.find(({ name }) => name === 'events')?.rows).toBeGreaterThan(20_000);
    const objects = await objectsAt(culprit.objectStore);
    expect(objects.size).toBeGreaterThan(3);
    expect(manifest.objects).toMatchObject({ count: objects.size });
  });

  it('can be read by its owner only, and leaves nothing unfinished behind', () => {
    for (const name of readdirSync(backup, { recursive: true, encoding: 'utf8' })) {
      const stat = statSync(join(backup, name));
      expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600]);
    }
    expect(readdirSync(directory).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('that fails on the way is removed', async () => {
    const to = join(directory, 'failing');
    const objects = await openObjectStore(culprit.objectStore);
    await expect(
      createBackup(to, {
        databaseUrl: culprit.databaseUrl,
        objects: { ...objects, get: () => Promise.reject(new Error('the store is away')) },
        config: { dataKey: null, dataDir: directory },
      }),
    ).rejects.toThrow('the store is away');
    expect(readdirSync(directory).filter((name) => name.startsWith('failing'))).toEqual([]);
  });

  it('tells of an object that a row names and the store has not', async () => {
    const [key = ''] = (await objectsAt(culprit.objectStore)).keys();
    const path = join(culprit.objectDirectory, key);
    const bytes = await readFile(path);
    await unlink(path);
    const told = await createBackup(join(directory, 'without-one'), {
      databaseUrl: culprit.databaseUrl,
      objects: await openObjectStore(culprit.objectStore),
      config: { dataKey: null, dataDir: directory },
    });
    await writeFile(path, bytes);
    const missing = manifest.objects?.missing_count ?? 0;
    expect(told.objects?.missing_count).toBe(missing + 1);
    expect(told.objects?.missing_keys).toContain(key);
    expect(told.objects?.count).toBe((manifest.objects?.count ?? 0) - 1);
  });
});

describe('a restore', () => {
  let s3: S3Server;
  let forget: () => void;
  beforeAll(async () => {
    s3 = await startS3Server();
    forget = giveCredentials(s3.credentials);
  });
  afterAll(async () => {
    forget();
    await s3.close();
  });

  it('brings every row, object, number of a sequence and the key into another database and kind of store', async () => {
    const target = await createTarget(undefined, s3.place());
    await target.restore();
    expect(await snapshot(target.databaseUrl)).toEqual(source);
    expect(await objectsAt(target.objectStore)).toEqual(await objectsAt(culprit.objectStore));
    expect(await readFile(join(target.dataDir, 'data-key'), 'utf8')).toBe(
      await readFile(join(directory, 'source', 'data-key'), 'utf8'),
    );
    const again = await createBackup(join(directory, 'again'), {
      databaseUrl: target.databaseUrl,
      objects: await openObjectStore(target.objectStore),
      config: { dataKey: null, dataDir: target.dataDir },
    });
    expect(again).toMatchObject({
      tables: manifest.tables.map(({ name, columns, rows }) => ({ name, columns, rows })),
      sequences: manifest.sequences,
      event_days: manifest.event_days,
      migrations: manifest.migrations,
      data_key_check: manifest.data_key_check,
      objects: { count: manifest.objects?.count, bytes: manifest.objects?.bytes },
    });
    expect(await constraints(target.databaseUrl)).toEqual(await constraints(culprit.databaseUrl));
    await expectMapsFrames(target);
  });

  it('goes on after it was cut off among the objects, and does nothing when it is repeated at the end', async () => {
    s3.objects.clear();
    const target = await createTarget(undefined, s3.place());
    let puts = 0;
    s3.fault = ({ method }) => {
      puts += method === 'PUT' ? 1 : 0;
      return method === 'PUT' && puts > 2 ? 'fails' : null;
    };
    await expect(target.restore()).rejects.toThrow('object store');
    s3.fault = () => null;
    expect([...s3.objects.keys()].some((key) => key.endsWith('store/restoring'))).toBe(true);
    await target.restore();
    await expect(target.restore()).rejects.toThrow('nothing was done: this backup was already restored');
    expect(await snapshot(target.databaseUrl)).toEqual(source);
    expect(await objectsAt(target.objectStore)).toEqual(await objectsAt(culprit.objectStore));
    expect([...s3.objects.keys()].some((key) => key.endsWith('store/restoring'))).toBe(false);
  });

  it('goes on after it was cut off among the rows, of which none are there then', async () => {
    const target = await createTarget();
    const broken = join(directory, 'broken');
    await cp(backup, broken, { recursive: true });
    const checked = await checkBackup(broken, migrations);
    // The last table: all others are in by then.
    const last = checked.tables.at(-1)?.file.path ?? '';
    await writeFile(join(broken, last), 'damaged after it was checked');
    const objects = await openObjectStore(target.objectStore);
    const config = { dataKey: null, dataDir: target.dataDir, objectStore: target.objectStore };
    await expect(
      restoreBackup(broken, checked, { databaseUrl: target.databaseUrl, objects, config, migrations }),
    ).rejects.toThrow();
    await target.restore();
    expect(await snapshot(target.databaseUrl)).toEqual(source);
  });

  it('writes nothing from a backup in which a byte of any file differs', async () => {
    const broken = await mkdtemp(join(directory, 'bytes-'));
    await cp(backup, broken, { recursive: true });
    const target = await createTarget();
    const files = [manifest.tables[0]?.file, manifest.objects?.packs[0], manifest.data_key];
    for (const file of files) {
      const path = join(broken, file?.path ?? '');
      const bytes = await readFile(path);
      const damaged = Buffer.from(bytes);
      damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 1;
      await writeFile(path, damaged);
      await expect(target.restore(broken)).rejects.toThrow(`damaged: ${file?.path}`);
      await writeFile(path, bytes);
    }
    await unlink(join(broken, 'manifest.json'));
    await expect(target.restore(broken)).rejects.toThrow(
      'is not a complete backup: it contains no manifest.json',
    );
    expect(await snapshot(target.databaseUrl)).toEqual({});
  });

  it('refuses a database in use or with rows, a store of somebody else, a directory with objects and another key', async () => {
    // A pool closes connections that nobody uses; this request opens one.
    expect((await fetch(`${culprit.url}/ready`)).status).toBe(200);
    await expect((await createTarget(culprit.databaseUrl)).restore()).rejects.toThrow('a server is using');

    const filled = await createTestDatabase();
    const database = openDatabase({ url: filled, connectionsMax: 1, applicationName: 'culprit-test' });
    await database.script(`insert into audit_log (action, address_class, data) values ('test', null, '{}')`);
    await database.close();
    await expect((await createTarget(filled)).restore()).rejects.toThrow('rows in audit_log');

    s3.objects.clear();
    const foreign = await createTarget(undefined, s3.place());
    await (await openObjectStore(s3.place())).put('store/identity', Buffer.from('another'));
    await expect(foreign.restore()).rejects.toThrow('belongs to another database');

    const used = await createTarget();
    await (await openObjectStore(used.objectStore)).put('raw/a/b', Buffer.from('x'));
    await expect(used.restore()).rejects.toThrow('is not empty');

    const keyed = await createTarget();
    await storeDataKey(keyed.dataDir, new Secret(randomBytes(32)));
    await expect(keyed.restore()).rejects.toThrow('not the one of the backup');
    expect(await snapshot(keyed.databaseUrl)).toEqual({});
  });

  it('takes a backup of the last schema before 0001_schema.sql, and refuses one of an earlier schema', async () => {
    const [first, ...later] = manifest.migrations;
    expect(first?.name).toBe('0001_schema.sql');
    const before = join(directory, 'before-first-schema');
    await cp(backup, before, { recursive: true });
    const withMigrations = async (...old: Manifest['migrations']): Promise<void> => {
      const migrations = [...old, ...later];
      await writeFile(join(before, 'manifest.json'), JSON.stringify({ ...manifest, migrations }));
    };
    const last = {
      name: '0030_deployed_fixes.sql',
      checksum: '68ad804fe69aa79314068c7486b149e69168fd2b6b6ced170e635d0a0297361f',
    };
    await withMigrations({ name: '0001_schema.sql', checksum: 'a' });
    await expect(checkBackup(before, migrations)).rejects.toThrow('0001_schema.sql');
    await withMigrations({ name: '0001_schema.sql', checksum: 'a' }, { ...last, checksum: 'b' });
    await expect(checkBackup(before, migrations)).rejects.toThrow(last.name);

    await withMigrations({ name: '0001_schema.sql', checksum: 'a' }, last);
    const target = await createTarget();
    await target.restore(before);
    expect(await snapshot(target.databaseUrl)).toEqual(source);
  });

  it('takes a database with empty tables, and refuses a backup of a release with other migrations', async () => {
    await (await createTarget(await createTestDatabase())).restore();
    const newest = migrations.at(-1)?.name ?? '';
    await expect(checkBackup(backup, migrations.slice(0, -1))).rejects.toThrow(newest);
  });
});

/** A server that runs on what was restored maps the frames of a new event, and knows the files that were uploaded. */
async function expectMapsFrames({ databaseUrl, objectStore }: Target): Promise<void> {
  const restored = await startCulprit({ databaseUrl, objectStore });
  try {
    const { line, column } = shop.place('price.amount');
    const address = 'https://shop.example/assets/index.js';
    const client = clientOf(restored, project);
    await client.send({
      ...EX({
        event_type: 'frontend_exception',
        service: { name: 'restored-web', environment: 'production' },
      }),
      payload: {
        ...{ name: 'TypeError', message: 'no price', debug_ids: { [address]: shop.debugId } },
        stack: `TypeError: no price\n    at e (${address}:${line}:${column})`,
      },
    });
    await client.processed();
    const [incident] = await client.list({ service: 'restored-web' });
    const { context } = await client.bundle(incident?.incident_id ?? '');
    expect(context.stack?.frames).toMatchObject([
      { file: 'src/cart.ts', line: 5, function: 'Cart.total.<anonymous>', map: { state: 'mapped' } },
    ]);
    expect(context.stack?.frames[0]?.context_line).toContain('item.price!.amount');
    expect((await uploadMaps(restored, project, [shop])).files).toMatchObject([{ verdict: 'unchanged' }]);
  } finally {
    await restored.stop();
  }
}

async function constraints(url: string): Promise<object[]> {
  const database = openDatabase({ url, connectionsMax: 1, applicationName: 'culprit-test' });
  try {
    return await database.query({
      name: 'test-constraints',
      text: `select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition, convalidated
        from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    });
  } finally {
    await database.close();
  }
}
