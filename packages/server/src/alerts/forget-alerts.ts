import type { Queryable } from '../platform/db/database.ts';
import { removeSome } from '../platform/db/remove-some.ts';
import { DELETE_OLD_ALERTS } from './alert-deliveries.queries.ts';

/**
 * Removes deliveries that ended and were made more than 30 days ago (notifications.md 1.11). True when there may be
 * more.
 */
export function forgetAlerts(database: Queryable): Promise<boolean> {
  return removeSome(database, DELETE_OLD_ALERTS);
}
