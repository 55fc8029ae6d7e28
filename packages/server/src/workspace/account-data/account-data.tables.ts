import type { Table } from '../../table.ts';

export const ACCOUNT_DATA_TABLES: readonly Table[] = [
  {
    name: 'account_deletion_codes',
    purge: 'no_project',
    // Expires when neither the codes nor the times of their messages count.
    retention: { expired: `expires_at < (select culprit_now()) - interval '1 hour'` },
    exported: 'codes',
  },
  {
    name: 'email_change_codes',
    purge: 'no_project',
    retention: { expired: `expires_at < (select culprit_now()) - interval '1 hour'` },
    exported: 'codes',
  },
];
