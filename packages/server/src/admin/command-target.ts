import type { Config } from '../platform/config/config.ts';
import { openDatabase } from '../platform/db/database.ts';
import { liveLockHolder } from '../platform/db/embedded/data-directory-lock.ts';
import { sql } from '../platform/db/statement.ts';
import type { CommandDatabase } from './open-database.ts';

type Target = Pick<Config, 'dataDir' | 'databaseUrl' | 'baseUrl'>;

/** Returns the name of the installation on which a command works, for its caller. */
export function targetText(config: Target, origin: CommandDatabase['origin']): string {
  const { dataDir, databaseUrl, baseUrl } = config;
  if (databaseUrl !== null) return `Using the database ${databaseText(databaseUrl.reveal())} of ${baseUrl}.`;
  if (origin === 'command') return `Using the data in ${dataDir}; no server is running there.`;
  const holder = liveLockHolder(dataDir);
  const server = holder === null ? 'the running server' : `the running server (process ${holder.pid})`;
  return `Using the data in ${dataDir} beside ${server}, expected at ${baseUrl}.`;
}

/** Returns a warning: a user who meant another installation would search for the created records in vain. */
export function newInstallationText({ dataDir, databaseUrl }: Target): string {
  return databaseUrl === null
    ? `Warning: ${dataDir} contained no installation, so a new one is created there. A server with other data does not use it; CULPRIT_DATA_DIR selects the directory.`
    : 'Warning: this database contained no installation, so a new one is created in it. CULPRIT_DATABASE_URL selects the database.';
}

/** Returns true if no release of ours was ever started on a database. */
export async function isEmptyDatabase(url: string): Promise<boolean> {
  const database = openDatabase({
    url,
    connectionsMax: 1,
    connectTimeoutMs: 10_000,
    applicationName: 'culprit-admin',
  });
  try {
    const [row] = await database.query<{ is_empty: boolean }>(
      sql('admin-is-empty')`select to_regclass('schema_migrations') is null as is_empty`,
    );
    return row?.is_empty === true;
  } finally {
    await database.close();
  }
}

/** Host and name, and nothing that is secret. */
function databaseText(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  // The same reading as that of the driver.
  const host = searchParams.get('host') || hostname;
  return `${decodeURIComponent(pathname.slice(1))} at ${host}${port === '' ? '' : `:${port}`}`;
}
