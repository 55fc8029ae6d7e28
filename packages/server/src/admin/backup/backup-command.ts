import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { recordBackup } from '../../installation/backups.queries.ts';
import { failureText } from '../../installation/findings/finding.ts';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { EmbeddedPostgresError } from '../../platform/db/embedded/embedded-postgres-error.ts';
import { readMigrations } from '../../platform/db/migrate.ts';
import { openObjectStore } from '../../platform/objects/open-object-store.ts';
import { MIGRATIONS_FOLDER } from '../../roles/migrations-folder.ts';
import { prepareDatabase } from '../../roles/prepare-database.ts';
import { type AdminCommand, CommandRefused, printResult, readOptions, UsageError } from '../command.ts';
import { type CommandDatabase, openCommandDatabase, startOwnDatabase } from '../open-database.ts';
import { openCommandLog } from '../with-database.ts';
import type { Adoption } from './adopt-objects.ts';
import { createBackup } from './create-backup.ts';
import { filesOf, type Manifest } from './manifest.ts';
import { checkBackup, finishRestore, restoreBackup } from './restore-backup.ts';

/** The output of both commands; a restore adds the objects that it found in the object store. */
interface BackupResult {
  directory: string;
  made_at: string;
  version: string;
  tables: number;
  rows: number;
  objects: number | null;
  missing_objects: number;
  /** The size of the backup's files. */
  bytes: number;
  /** The place of the key that the stored secrets need. */
  data_key: 'in_backup' | 'in_CULPRIT_DATA_KEY' | 'none';
}

/** `admin backup` */
export const backupCommand: AdminCommand = {
  usage: 'backup --to DIRECTORY [--json]',
  purpose:
    'Copies the database, the objects and the data key file into a new directory, also while the server runs. Keep CULPRIT_DATA_KEY yourself.',
  async run(args) {
    const values = readOptions(args, {
      to: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    if (values.to === undefined || values.to === '') throw new UsageError('--to must be a directory');
    const directory = resolve(values.to);
    if (existsSync(directory)) throw new CommandRefused(`${directory} already exists; use a new directory`);
    const config = readConfig(process.env);
    const objects = await openObjectStore(config.objectStore);
    const { url, stop } = await openCommandDatabase(config, openCommandLog());
    try {
      const manifest = await createBackup(directory, { databaseUrl: url, objects, config });
      warnOfMissing(manifest);
      const result = resultOf(directory, manifest);
      await noteBackup(url, manifest.backup_id, result);
      printResult(result, values.json);
    } finally {
      await stop();
    }
  },
};

/** Stores the time of the last backup, which the operator page and the doctor show. */
async function noteBackup(url: string, backupId: string, result: BackupResult): Promise<void> {
  const database = openDatabase({
    url,
    connectionsMax: 1,
    connectTimeoutMs: 10_000,
    applicationName: 'culprit-backup',
  });
  try {
    const { directory, bytes: sizeBytes, missing_objects: missingObjects } = result;
    await recordBackup(database, { backupId, directory, sizeBytes, missingObjects });
  } catch (error) {
    // The backup is whole all the same.
    process.stderr.write(`The database has no record of this backup: ${failureText(error)}\n`);
  } finally {
    await database.close();
  }
}

/** `admin restore` */
export const restoreCommand: AdminCommand = {
  usage: 'restore --from DIRECTORY [--json]',
  purpose:
    'Restores a backup into the configured database, which must be empty and without a running server, and into its object store, which must be empty or that of the lost database. Repeat the command if it was interrupted.',
  async run(args) {
    const values = readOptions(args, {
      from: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    if (values.from === undefined || values.from === '') throw new UsageError('--from must be a backup');
    const directory = resolve(values.from);
    const config = readConfig(process.env);
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    const manifest = await checkBackup(directory, migrations);
    const log = openCommandLog();
    const { url, stop } =
      config.databaseUrl === null
        ? await startUnusedDatabase(config, log)
        : { url: config.databaseUrl.reveal(), stop: async () => {} };
    let adoption: Adoption;
    try {
      const objects = await openObjectStore(config.objectStore);
      await restoreBackup(directory, manifest, { databaseUrl: url, objects, config, migrations });
      await prepareDatabase(url, {
        isVouchedFor: config.isDatabaseDurabilityVouched,
        log,
      });
      adoption = await finishRestore(manifest, { databaseUrl: url, objects });
    } finally {
      await stop();
    }
    warnOfMissing(manifest);
    warnOfAdoption(adoption);
    printResult(
      {
        ...resultOf(directory, manifest),
        found_events: adoption.foundEvents,
        lost_events: adoption.lostEvents,
        unusable_objects: adoption.unusableObjects,
      },
      values.json,
    );
  },
};

/** @throws CommandRefused where a server runs on it */
async function startUnusedDatabase(config: Config, log: Logger): Promise<CommandDatabase> {
  try {
    return await startOwnDatabase(config, log);
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError) || error.code !== 'data_directory_locked') throw error;
    throw new CommandRefused(
      `nothing was done: a server is running in ${config.dataDir}; stop it, or name another data directory (CULPRIT_DATA_DIR)`,
    );
  }
}

function warnOfAdoption({ lostEvents, unusableObjects }: Adoption): void {
  if (lostEvents > 0) {
    process.stderr.write(
      `${lostEvents} events waited to be processed and their objects are gone; \`dead-letters list\` names them.\n`,
    );
  }
  if (unusableObjects > 0) {
    process.stderr.write(
      `${unusableObjects} newer objects belong to projects that the backup does not contain, or cannot be read; they were not changed.\n`,
    );
  }
}

function resultOf(directory: string, manifest: Manifest): BackupResult {
  return {
    directory,
    made_at: manifest.made_at,
    version: manifest.version,
    tables: manifest.tables.length,
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    objects: manifest.objects?.count ?? null,
    missing_objects: manifest.objects?.missing_count ?? 0,
    bytes: filesOf(manifest).reduce((sum, { bytes }) => sum + bytes, 0),
    data_key:
      manifest.data_key !== null
        ? 'in_backup'
        : manifest.data_key_check === null
          ? 'none'
          : 'in_CULPRIT_DATA_KEY',
  };
}

function warnOfMissing({ objects }: Manifest): void {
  if (objects === null || objects.missing_count === 0) return;
  process.stderr.write(
    `${objects.missing_count} referenced objects are neither in the store nor in the backup, such as ${objects.missing_keys[0]}. Retention may have removed a few of them.\n`,
  );
}
