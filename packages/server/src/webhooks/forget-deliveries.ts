import type { Database } from '../platform/db/database.ts';
import { deleteOldDeliveries } from './deliveries.queries.ts';

/** Rows removed at a time, so that no statement takes long. */
const ROWS_MAX = 5000;

/** Removes deliveries that ended and were made more than 30 days ago (notifications.md 3.8). */
export async function forgetDeliveries(database: Database): Promise<void> {
  let removed = ROWS_MAX;
  while (removed === ROWS_MAX) removed = await deleteOldDeliveries(database, ROWS_MAX);
}
