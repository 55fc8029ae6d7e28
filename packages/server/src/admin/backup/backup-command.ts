import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../../platform/config.ts';
import { readMigrations } from '../../platform/db/migrate.ts';
import { openObjectStore } from '../../platform/objects/open-object-store.ts';
import { MIGRATIONS_FOLDER } from '../../roles/migrations-folder.ts';
import { prepareDatabase } from '../../roles/prepare-database.ts';
import { type AdminCommand, CommandRefused, printResult, readOptions, UsageError } from '../command.ts';
import { openCommandDatabase, startOwnDatabase } from '../open-database.ts';
import { openCommandLog } from '../with-database.ts';
import { makeBackup } from './make-backup.ts';
import { filesOf, type Manifest } from './manifest.ts';
import { checkBackup, restoreBackup } from './restore-backup.ts';

/** What both commands print. */
export interface BackupResult {
  directory: string;
  made_at: string;
  version: string;
  tables: number;
  rows: number;
  objects: number | null;
  missing_objects: number;
  /** Of the backup's files. */
  bytes: number;
  /** Where the key is that the stored secrets need. */
  data_key: 'in_backup' | 'in_CULPRIT_DATA_KEY' | 'none';
}

/** `admin backup` */
export const backupCommand: AdminCommand = {
  usage: 'backup --to DIRECTORY [--json]',
  purpose:
    'Copies database, objects and the data key file into a new directory, also while the server runs. Keep CULPRIT_DATA_KEY yourself.',
  async run(args) {
    const values = readOptions(args, {
      to: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    if (values.to === undefined || values.to === '') throw new UsageError('--to must name a directory');
    const directory = resolve(values.to);
    if (existsSync(directory)) throw new CommandRefused(`${directory} exists already; name a new directory`);
    const config = readConfig(process.env);
    const objects = await openObjectStore(config.objectStore);
    const { url, stop } = await openCommandDatabase(config, openCommandLog());
    try {
      const manifest = await makeBackup(directory, { databaseUrl: url, objects, config });
      warnOfMissing(manifest);
      printResult(resultOf(directory, manifest), values.json);
    } finally {
      await stop();
    }
  },
};

/** `admin restore` */
export const restoreCommand: AdminCommand = {
  usage: 'restore --from DIRECTORY [--json]',
  purpose:
    'Brings a backup into the configured database and object store, which must be empty and without a server. May be repeated.',
  async run(args) {
    const values = readOptions(args, {
      from: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    if (values.from === undefined || values.from === '') throw new UsageError('--from must name a backup');
    const directory = resolve(values.from);
    const config = readConfig(process.env);
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    const manifest = await checkBackup(directory, migrations);
    const log = openCommandLog();
    const { url, stop } =
      config.databaseUrl === null
        ? await startOwnDatabase(config, log)
        : { url: config.databaseUrl.reveal(), stop: async () => {} };
    try {
      const objects = await openObjectStore(config.objectStore);
      await restoreBackup(directory, manifest, { databaseUrl: url, objects, config, migrations });
      await prepareDatabase(url, { isVouchedFor: config.isDatabaseDurabilityVouched, log });
    } finally {
      await stop();
    }
    warnOfMissing(manifest);
    printResult(resultOf(directory, manifest), values.json);
  },
};

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
    `${objects.missing_count} objects that rows name were not in the store and are not in the backup, such as ${objects.missing_keys[0]}. A few may have been removed by retention meanwhile.\n`,
  );
}
