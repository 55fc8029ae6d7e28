import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { openCopySession } from '../../platform/db/copy-session.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { type Migration, migrate } from '../../platform/db/migrate.ts';
import { assertServerVersion } from '../../platform/db/server-version.ts';
import { getIfThere, type ObjectStore } from '../../platform/objects/object-store.ts';
import { placeText } from '../../platform/objects/open-object-store.ts';
import { findDataKey, storeDataKey } from '../../platform/secrets/data-key.ts';
import { Secret } from '../../platform/secrets/secret.ts';
import { IDENTITY_KEY } from '../../roles/prepare-object-store.ts';
import { PROJECT_OBJECT_KINDS } from '../../workspace/projects/project-objects.ts';
import { CommandRefused } from '../command.ts';
import { type Adoption, adoptObjects } from './adopt-objects.ts';
import { checkBackupFile } from './backup-files.ts';
import { asOfFirstSchema } from './before-first-schema.ts';
import { dataKeyCheck } from './data-key-check.ts';
import { judgeTarget, loadTables, readColumn } from './load-tables.ts';
import { filesOf, type Manifest, readManifest } from './manifest.ts';
import { unpackObjects } from './object-packs.ts';

/**
 * The key that names the backup that is being restored in a store, so that the same restore can continue after a kill.
 */
const MARK_KEY = 'store/restoring';
const MIGRATION_TIMEOUT_MS = 600_000;

interface RestoreTarget {
  databaseUrl: string;
  objects: ObjectStore;
  config: Pick<Config, 'dataKey' | 'dataDir' | 'objectStore'>;
  /** The migrations of this release. */
  migrations: readonly Migration[];
}

/**
 * Reads a backup and checks every file of it against its checksum, and that this release knows its schema.
 * @throws CommandRefused
 */
export async function checkBackup(from: string, migrations: readonly Migration[]): Promise<Manifest> {
  const manifest = asOfFirstSchema(await readManifest(from), migrations);
  const own = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const unknown = manifest.migrations.filter(({ name, checksum }) => own.get(name) !== checksum);
  if (unknown.length > 0) {
    throw new CommandRefused(
      `the backup was made by release ${manifest.version}, which has migrations that this one does not have (the last is ${unknown.at(-1)?.name}); restore with that release or a newer one`,
    );
  }
  for (const file of filesOf(manifest)) await checkBackupFile(from, file);
  return manifest;
}

/**
 * Restores a checked backup into an empty database and an object store, of any kind, that is empty or the one that the
 * lost database had: the key, the objects, then all rows in one transaction. The call can be repeated after it was cut
 * off, and its result is the same. The schema is left at the version of the backup; `finishRestore` does the rest.
 * @throws CommandRefused if other data is there, or this backup was restored before
 */
export async function restoreBackup(from: string, manifest: Manifest, target: RestoreTarget): Promise<void> {
  const session = await openCopySession({
    url: target.databaseUrl,
    applicationName: 'culprit-restore',
    connectTimeoutMs: 10_000,
  });
  try {
    const state = await judgeTarget(session, manifest);
    if (state === 'empty') {
      await judgeStore(from, manifest, target);
      await restoreKey(from, manifest, target.config);
      await restoreObjects(from, manifest, target.objects);
      await makeSchema(manifest, target);
      await loadTables(session, from, manifest);
    } else if ((await markIn(target.objects)) !== manifest.backup_id) {
      throw new CommandRefused('nothing was done: this backup was already restored into this database');
    }
  } finally {
    await session.close();
  }
}

/**
 * Finishes a restore when the schema is that of this release: it adopts the objects that the rows do not know. Until it
 * has ended, a repeated restore runs it again.
 */
export async function finishRestore(
  manifest: Manifest,
  { databaseUrl, objects }: Pick<RestoreTarget, 'databaseUrl' | 'objects'>,
): Promise<Adoption> {
  const database = openDatabase({
    url: databaseUrl,
    connectionsMax: 1,
    connectTimeoutMs: 10_000,
    applicationName: 'culprit-restore',
  });
  try {
    const adoption = await adoptObjects(database, objects, Date.parse(manifest.made_at));
    await objects.delete(MARK_KEY);
    return adoption;
  } finally {
    await database.close();
  }
}

/** Which restore is under way in a store. */
async function markIn(objects: ObjectStore): Promise<string | null> {
  return (await getIfThere(objects, MARK_KEY))?.toString() ?? null;
}

/** A store that is empty, was begun by this restore, or, where only the database was lost, belongs to the backup. */
async function judgeStore(
  from: string,
  manifest: Manifest,
  { objects, config }: RestoreTarget,
): Promise<void> {
  const where = placeText(config.objectStore);
  const mark = await markIn(objects);
  if (mark === manifest.backup_id) return;
  if (mark !== null) {
    throw new CommandRefused(
      `the restore of another backup was interrupted in ${where}; repeat that one, or empty it`,
    );
  }
  // A copy of the database alone: the objects stayed where they are.
  if (manifest.objects === null) return;
  const identity = (await getIfThere(objects, IDENTITY_KEY))?.toString() ?? null;
  if (identity !== null) {
    if (identity === manifest.store_id) return;
    throw new CommandRefused(`${where} belongs to another database; restore into an empty one`);
  }
  if (!(await isEmptyOrOurs(from, manifest, objects))) {
    throw new CommandRefused(
      `${where} is not empty and has no objects of the projects in the backup; restore into an empty data directory (CULPRIT_DATA_DIR), or with the objects of the lost database`,
    );
  }
}

/** Returns true if a store without a name has no objects, or one of a project in the backup. */
async function isEmptyOrOurs(from: string, manifest: Manifest, objects: ObjectStore): Promise<boolean> {
  const table = manifest.tables.find(({ name }) => name === 'projects');
  const projects = table === undefined ? new Set() : await readColumn(from, table, 'project_id');
  let isEmpty = true;
  for (const kind of PROJECT_OBJECT_KINDS) {
    for await (const key of objects.list(kind)) {
      if (projects.has(key.split('/')[1] ?? '')) return true;
      isEmpty = false;
    }
  }
  return isEmpty;
}

async function restoreKey(from: string, manifest: Manifest, config: RestoreTarget['config']): Promise<void> {
  if (manifest.data_key_check === null) return;
  if (config.dataKey === null && manifest.data_key !== null) {
    const text = await readFile(join(from, manifest.data_key.path), 'utf8');
    await storeDataKey(config.dataDir, new Secret(Buffer.from(text.trim(), 'base64')));
  }
  const key = await findDataKey(config);
  if (key === null) {
    throw new CommandRefused(
      'the backup has no data key, because it was set in CULPRIT_DATA_KEY: set it to the same key',
    );
  }
  if (dataKeyCheck(key) !== manifest.data_key_check) {
    throw new CommandRefused(
      config.dataKey === null
        ? `the data key in ${config.dataDir} is not the one of the backup; restore into an empty data directory`
        : 'CULPRIT_DATA_KEY is not the key of the backup; its secrets could not be read with it',
    );
  }
}

async function restoreObjects(from: string, manifest: Manifest, store: ObjectStore): Promise<void> {
  if ((await markIn(store)) === null) await store.put(MARK_KEY, Buffer.from(manifest.backup_id));
  if (manifest.objects === null) return;
  let found = 0;
  for (const pack of manifest.objects.packs) found += await unpackObjects(from, pack, store);
  if (found !== manifest.objects.count) {
    throw new CommandRefused(`the backup holds ${found} objects, but names ${manifest.objects.count}`);
  }
}

async function makeSchema(manifest: Manifest, target: RestoreTarget): Promise<void> {
  const names = new Set(manifest.migrations.map(({ name }) => name));
  const database = openDatabase({
    url: target.databaseUrl,
    connectionsMax: 1,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: MIGRATION_TIMEOUT_MS,
    applicationName: 'culprit-restore',
  });
  try {
    await assertServerVersion(database);
    await migrate(
      database,
      target.migrations.filter(({ name }) => names.has(name)),
    );
  } finally {
    await database.close();
  }
}
