import type { Queryable } from '../../src/platform/db/database.ts';
import { deleteExpired } from '../../src/platform/db/delete-expired.ts';
import type { Table } from '../../src/table.ts';
import { exhaust } from './exhaust.ts';

/** Deletes everything in some tables that has expired, as the periodic tasks of a worker do. */
export async function deleteExpiredRows(database: Queryable, tables: readonly Table[]): Promise<void> {
  for (const { name, retention } of tables) {
    if (typeof retention === 'string' || 'task' in retention || retention.expired === undefined) continue;
    await exhaust(deleteExpired(database, { name, expired: retention.expired }));
  }
}
