import type { Logger } from 'pino';
import { openDatabase } from '../platform/db/database.ts';
import { missingDurability } from '../platform/db/durability.ts';
import { migrate, newerMigrations, readMigrations } from '../platform/db/migrate.ts';
import { assertServerVersion } from '../platform/db/server-version.ts';
import { WORK_PATIENCE } from '../platform/db/server-watch.ts';
import { MIGRATIONS_FOLDER } from './migrations-folder.ts';

/** The database would lose accepted events in a crash; the service does not start on it. */
export class DurabilityError extends Error {
  override name = 'DurabilityError';
}

const MIGRATION_TIMEOUT_MS = 600_000;

/**
 * Brings the schema up to date and refuses a database that does not keep what it commits (docs/contract/reliability.md
 * A1), unless the operator vouches for it.
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
    silentAfterMs: WORK_PATIENCE.silentAfterMs,
    applicationName: 'culprit-migrate',
  });
  try {
    await assertServerVersion(database);
    const missing = await missingDurability(database);
    if (missing.length > 0 && !options.isVouchedFor) {
      throw new DurabilityError(
        `the database runs with ${missing.join(', ')} off, so a crash could lose accepted events; enable it, or ` +
          'set CULPRIT_DATABASE_DURABILITY_VOUCHED=on if the database is durable by other means',
      );
    }
    if (missing.length > 0)
      options.log.warn({ settings: missing }, 'the operator has confirmed the durability of the database');
    const migrations = await readMigrations(MIGRATIONS_FOLDER);
    const applied = await migrate(database, migrations, {
      onLocked: (migration, attempt) =>
        options.log.warn({ migration, attempt }, 'migration waits because another session holds a lock'),
    });
    if (applied.length > 0) options.log.info({ migrations: applied }, 'database schema brought up to date');
    const newer = (await newerMigrations(database, migrations)).map(({ name }) => name);
    if (newer.length > 0)
      options.log.warn(
        { migrations: newer },
        'database schema is from a newer release that only added to it',
      );
  } finally {
    await database.close();
  }
}
