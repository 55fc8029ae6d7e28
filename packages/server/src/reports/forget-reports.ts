import type { Database } from '../platform/db/database.ts';
import { removeSome } from '../platform/db/remove-some.ts';
import { DELETE_OLD_SLOTS } from './due-reports.queries.ts';

/** Removes the slots of reports that were made more than 30 days ago: a week comes only once. */
export async function forgetReports(database: Database): Promise<void> {
  while (await removeSome(database, [DELETE_OLD_SLOTS]));
}
