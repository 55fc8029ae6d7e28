import type { Database } from '../platform/db/database.ts';
import { removeSome } from '../platform/db/remove-some.ts';
import { OLD_RESULTS } from './results.queries.ts';

/** Removes results and days older than 30 days (account.md 6.1). */
export async function forgetResults(database: Database): Promise<void> {
  while (await removeSome(database, OLD_RESULTS));
}
