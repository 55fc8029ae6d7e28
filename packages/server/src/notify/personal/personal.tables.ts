import type { Table } from '../../table.ts';

export const PERSONAL_TABLES: readonly Table[] = [
  {
    name: 'personal_settings',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'notification_settings',
        scope: 'user',
        key: 'user_id',
        columns: 'user_id, assigned, mentioned, own_regressed, own_woke, watched, digest_minutes',
        from: 'personal_settings where user_id = $1',
      },
    ],
  },
  {
    name: 'personal_notices',
    purge: ['by_project'],
    retention: 'by_its_statements',
    exported: 'mails that wait for their time',
  },
];
