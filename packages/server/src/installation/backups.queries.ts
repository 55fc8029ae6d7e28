import type { Queryable } from '../platform/db/database.ts';

const UNDEFINED_TABLE = '42P01';

/**
 * Notes that a backup is whole. A database of a release before this table, which is backed up before its upgrade, has
 * no place for it.
 */
export async function recordBackup(
  database: Queryable,
  backup: { backupId: string; directory: string; sizeBytes: number; missingObjects: number },
): Promise<void> {
  await database
    .query(
      {
        name: 'backup-record',
        text: `insert into backups (backup_id, directory, size_bytes, missing_objects) values ($1, $2, $3, $4)
          on conflict do nothing`,
      },
      [backup.backupId, backup.directory, backup.sizeBytes, backup.missingObjects],
    )
    .catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE)) throw error;
    });
}
