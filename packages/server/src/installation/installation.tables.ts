import type { Table } from '../table.ts';

export const INSTALLATION_TABLES: readonly Table[] = [
  {
    name: 'processes',
    purge: 'no_project',
    retention: { expired: `seen_at < (select culprit_now()) - interval '1 hour'` },
    exported: 'processes of the installation',
    isLeftOutOfBackups: true,
  },
  {
    name: 'backups',
    purge: 'no_project',
    retention: { expired: `finished_at < (select culprit_now()) - interval '1 year'` },
    exported: 'backups of the installation',
    // Those of the database that was lost are no backups of the one that was restored.
    isLeftOutOfBackups: true,
  },
];
