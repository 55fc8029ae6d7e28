import type { Queryable } from './database.ts';
import { sql } from './statement.ts';

/**
 * Returns the time of the one clock of the service (docs/contract/reliability.md A5), in milliseconds since the epoch.
 */
export async function readClock(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now: number }>(sql('clock-read')`select culprit_now() as now`);
  if (row === undefined) throw new Error('the clock gave no answer');
  return row.now;
}
