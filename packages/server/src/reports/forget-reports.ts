import type { Database } from '../platform/db/database.ts';
import { deleteOldSlots } from './due-reports.queries.ts';

/** Rows removed at a time, so that no statement takes long. */
const ROWS_MAX = 5000;

/** Removes the slots of reports that were made more than 30 days ago: a week comes only once. */
export async function forgetReports(database: Database): Promise<void> {
  let removed = ROWS_MAX;
  while (removed === ROWS_MAX) removed = await deleteOldSlots(database, ROWS_MAX);
}
