import type { ReadinessFailure } from '@culprit/contract/endpoints/health';
import { type Database, DatabaseUnavailableError } from '../platform/db/database.ts';
import { type Migration, pendingMigrations } from '../platform/db/migrate.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';

/**
 * Creates the check of `/ready` (docs/contract/account.md 8): database with this release's schema, queue, object store,
 * and the worker of the same start.
 */
export function readinessCheck(options: {
  database: Database;
  objects: ObjectStore;
  migrations: readonly Migration[];
  isWorkerUp: () => boolean;
}): () => Promise<ReadinessFailure | null> {
  const { database, objects, migrations, isWorkerUp } = options;
  return async () => {
    try {
      if ((await pendingMigrations(database, migrations)).length > 0) return 'db_schema_outdated';
    } catch (error) {
      return error instanceof DatabaseUnavailableError ? 'db_unreachable' : 'db_schema_outdated';
    }
    try {
      await objects.check();
    } catch {
      return 'object_store_unreachable';
    }
    return isWorkerUp() ? null : 'worker_starting';
  };
}
