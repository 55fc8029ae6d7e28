import type { Database } from './database.ts';
import { sql } from './statement.ts';

/** PostgreSQL is older than the SQL of this program. */
export class ServerVersionError extends Error {
  override name = 'ServerVersionError';
}

/** `nulls not distinct` came with it. */
const MAJOR_VERSION_MIN = 15;

/** @throws ServerVersionError for a PostgreSQL older than 15 */
export async function assertServerVersion(database: Database): Promise<void> {
  const [row] = await database.query<{ number: number; version: string }>(sql(
    'server-version',
  )`select current_setting('server_version_num')::integer as number,
        current_setting('server_version') as version`);
  if (row !== undefined && row.number >= MAJOR_VERSION_MIN * 10_000) return;
  throw new ServerVersionError(
    `PostgreSQL ${MAJOR_VERSION_MIN} or newer is needed, and the one at CULPRIT_DATABASE_URL is ${row?.version}; ` +
      'upgrade it, or leave the setting out to use the embedded one',
  );
}
