import { readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../platform/config/config.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { type Migration, MigrationError, pendingMigrations } from '../../platform/db/migrate.ts';
import { sql } from '../../platform/db/statement.ts';
import { hasEnoughSpace } from '../../platform/objects/free-space.ts';
import { VERSION } from '../../version.ts';
import { CommandRefused } from '../command.ts';

const COPY = 'before-upgrade';
const NEXT_COPY = `${COPY}-next`;

interface SafetyCopyOptions {
  databaseUrl: string;
  config: Pick<Config, 'dataDir' | 'dataKey' | 'freeSpaceMinBytes' | 'upgradeCopyMaxBytes'>;
  /** The migrations of this release. */
  migrations: readonly Migration[];
  log: Logger;
}

/**
 * Copies a database in use to `before-upgrade` in the data directory before migrations change it, in place of the copy
 * before. The objects stay in their place, because none is ever changed. Does nothing if no migration is pending, and
 * only logs it if the database is too large or the volume too full.
 * @throws MigrationError when the copy fails
 */
export async function keepSafetyCopy(options: SafetyCopyOptions): Promise<void> {
  const { databaseUrl, config, log } = options;
  const place = join(config.dataDir, COPY);
  const upgrade = await findUpgrade(options);
  if (upgrade === null || (await isGoingOn(place, upgrade.applied))) return;
  const reason = await reasonAgainst(config, upgrade.bytes);
  if (reason !== null) {
    log.warn({ databaseBytes: upgrade.bytes }, `upgrade without a copy of the database before it: ${reason}`);
    return;
  }
  try {
    await removeUnfinished(config.dataDir);
    const next = join(config.dataDir, NEXT_COPY);
    // Here, because of all starts only the first of a release needs it.
    const { createBackup } = await import('./create-backup.ts');
    await createBackup(next, { databaseUrl, objects: null, config });
    await rm(place, { recursive: true, force: true });
    await rename(next, place);
    log.info({ directory: place }, 'the database was copied before it is upgraded');
  } catch (error) {
    throw new MigrationError(
      `copying the database before the upgrade failed (${error instanceof Error ? error.message : 'unknown'}); make a backup yourself and set CULPRIT_UPGRADE_COPY_MAX_BYTES=0 to upgrade without one`,
      { cause: error },
    );
  }
}

/**
 * Returns how many migrations are applied and how large the database is; null if none is pending, or if there is no
 * data yet.
 */
async function findUpgrade({
  databaseUrl,
  migrations,
}: SafetyCopyOptions): Promise<{ applied: number; bytes: number } | null> {
  const database: Database = openDatabase({
    url: databaseUrl,
    connectionsMax: 1,
    connectTimeoutMs: 10_000,
    applicationName: 'culprit-upgrade',
  });
  try {
    const [state] = await database.query<{ has_schema: boolean; bytes: number }>(sql(
      'upgrade-state',
    )`select to_regclass('schema_migrations') is not null as has_schema,
        pg_database_size(current_database()) as bytes`);
    if (state?.has_schema !== true) return null;
    const pending = await pendingMigrations(database, migrations);
    const applied = migrations.length - pending.length;
    return pending.length === 0 || applied === 0 ? null : { applied, bytes: state.bytes };
  } finally {
    await database.close();
  }
}

/** An upgrade to this release that was cut off has its copy, of the time when it began. */
async function isGoingOn(place: string, applied: number): Promise<boolean> {
  const { readManifest } = await import('./manifest.ts');
  try {
    const { version, migrations } = await readManifest(place);
    return version === VERSION && migrations.length < applied;
  } catch (error) {
    if (error instanceof CommandRefused) return false;
    throw error;
  }
}

async function reasonAgainst(config: SafetyCopyOptions['config'], bytes: number): Promise<string | null> {
  if (bytes > config.upgradeCopyMaxBytes) return 'the database is larger than CULPRIT_UPGRADE_COPY_MAX_BYTES';
  const { bsize, blocks, bavail } = await statfs(config.dataDir);
  const afterwards = {
    // The copy is compressed, so it takes less than that.
    freeBytes: bavail * bsize - bytes,
    totalBytes: blocks * bsize,
    freeFiles: null,
    totalFiles: null,
  };
  return hasEnoughSpace(afterwards, config.freeSpaceMinBytes)
    ? null
    : 'there is too little free space in the data directory';
}

/** Removes the unfinished copies of starts that were killed. */
async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(NEXT_COPY)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
