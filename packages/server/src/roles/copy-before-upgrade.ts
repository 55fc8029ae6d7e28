import type { Logger } from 'pino';
import { keepSafetyCopy } from '../admin/backup/safety-copy.ts';
import type { Config } from '../platform/config/config.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { MIGRATIONS_FOLDER } from './migrations-folder.ts';

/** Copies an embedded database that is about to be migrated. The operator of an external one makes its backups. */
export async function copyBeforeUpgrade(config: Config, databaseUrl: string, log: Logger): Promise<void> {
  if (config.databaseUrl !== null) return;
  await keepSafetyCopy({ databaseUrl, config, migrations: await readMigrations(MIGRATIONS_FOLDER), log });
}
