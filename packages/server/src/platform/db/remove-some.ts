import type { Queryable, Statement } from './database.ts';

/** Rows of each kind removed at a time, so that no statement takes long. */
const ROWS_MAX = 5000;

/**
 * Removes rows that are needed no more, some of each kind. Each statement takes the number of rows it may remove as `$1`
 * and selects how many it did as `removed`.
 * @returns whether there may be more
 */
export async function removeSome(database: Queryable, statements: readonly Statement[]): Promise<boolean> {
  let isMore = false;
  for (const statement of statements) {
    const [row] = await database.query<{ removed: number }>(statement, [ROWS_MAX]);
    if ((row?.removed ?? 0) === ROWS_MAX) isMore = true;
  }
  return isMore;
}
