import type { Logger } from 'pino';
import { openDatabase } from '../platform/db/database.ts';
import { missingDurability } from '../platform/db/durability.ts';
import { migrate, readMigrations } from '../platform/db/migrate.ts';
import { MIGRATIONS_FOLDER } from './migrations-folder.ts';

/** The database would lose accepted events in a crash; the service does not start on it. */
export class DurabilityError extends Error {
  override name = 'DurabilityError';
}

const MIGRATION_TIMEOUT_MS = 600_000;

/**
 * Brings the schema up to date and refuses a database that does not keep what it commits (reliability rule A1),
 * unless the operator vouches for it.
 */
export async function prepareDatabase(
  url: string,
  options: { isVouchedFor: boolean; log: Logger },
): Promise<void> {
  const database = openDatabase({
    url,
    connectionsMax: 2,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: MIGRATION_TIMEOUT_MS,
    applicationName: 'culprit-migrate',
  });
  try {
    const missing = await missingDurability(database);
    if (missing.length > 0 && !options.isVouchedFor) {
      throw new DurabilityError(
        `the database runs with ${missing.join(', ')} off, so a crash could lose accepted events; switch it on, or ` +
          'set CULPRIT_DATABASE_DURABILITY_VOUCHED=on if the database is durable by other means',
      );
    }
    if (missing.length > 0)
      options.log.warn({ settings: missing }, 'database durability is vouched for by the operator');
    const applied = await migrate(database, await readMigrations(MIGRATIONS_FOLDER));
    if (applied.length > 0) options.log.info({ migrations: applied }, 'database schema brought up to date');
  } finally {
    await database.close();
  }
}
