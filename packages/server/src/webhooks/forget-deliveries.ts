import type { Database } from '../platform/db/database.ts';
import { removeSome } from '../platform/db/remove-some.ts';
import { DELETE_OLD_DELIVERIES } from './deliveries.queries.ts';

/** Removes deliveries that ended and were made more than 30 days ago (notifications.md 3.8). */
export async function forgetDeliveries(database: Database): Promise<void> {
  while (await removeSome(database, [DELETE_OLD_DELIVERIES]));
}
