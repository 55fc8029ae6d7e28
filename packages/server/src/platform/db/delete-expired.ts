import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable, Statement } from './database.ts';
import { sql } from './statement.ts';

/** Rows deleted at a time, so that no statement takes long. */
const ROWS_MAX = 5000;
/** Between two such steps, so that a large backlog does not keep the database busy alone. */
const PAUSE_MS = 50;

/**
 * Deletes all rows of a table that have expired, in small steps with pauses in between, until none is left.
 * @param table.expired the condition on a row, or a statement that takes how many rows it may delete as `$1` and selects
 *   how many it did as `removed`
 */
export async function* deleteExpired(
  database: Queryable,
  table: { name: string; expired: string | Statement },
): AsyncGenerator<void> {
  const { name, expired } = table;
  const statement = typeof expired === 'string' ? deletion(name, expired) : expired;
  for (;;) {
    const [row] = await database.query<{ removed: number }>(statement, [ROWS_MAX]);
    if ((row?.removed ?? 0) < ROWS_MAX) return;
    yield;
    await delay(PAUSE_MS);
  }
}

/** Repeats the condition: a row that was changed since it was selected is checked again. */
function deletion(table: string, condition: string): Statement {
  return sql(`delete-expired-${table}`)`with gone as (
        delete from ${table} where ctid = any (array(select ctid from ${table} where ${condition} limit $1))
          and ${condition}
        returning 1
      )
      select count(*) as removed from gone`;
}
