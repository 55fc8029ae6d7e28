import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/statement.ts';

/** Notes that a backup is whole. */
export async function recordBackup(
  database: Queryable,
  backup: { backupId: string; directory: string; sizeBytes: number; missingObjects: number },
): Promise<void> {
  await database.query(
    sql(
      'backup-record',
    )`insert into backups (backup_id, directory, size_bytes, missing_objects) values ($1, $2, $3, $4)
        on conflict do nothing`,
    [backup.backupId, backup.directory, backup.sizeBytes, backup.missingObjects],
  );
}
