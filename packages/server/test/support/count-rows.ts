import { hash } from 'node:crypto';
import type { Parameter } from '../../src/platform/db/database.ts';
import type { TestCulprit } from './culprit.ts';

/** One number out of the database: `what` is an aggregate, `from` the rest of the statement behind `from`. */
export async function readNumber(
  culprit: TestCulprit,
  what: string,
  from: string,
  parameters: readonly Parameter[] = [],
): Promise<number> {
  const text = `select (${what})::float8 as found from ${from}`;
  // PostgreSQL cuts names at 63 characters.
  const name = `test-number-${hash('sha1', text)}`;
  const [row] = await culprit.database.query<{ found: number | null }>({ name, text }, parameters);
  return row?.found ?? 0;
}

/** Rows of a table, with a condition if need be: `jobs where lane = $1`. */
export async function countRows(
  culprit: TestCulprit,
  from: string,
  parameters: readonly Parameter[] = [],
): Promise<number> {
  return await readNumber(culprit, 'count(*)', from, parameters);
}
