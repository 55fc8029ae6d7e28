import type { Table } from '../../table.ts';

export const CANARY_TABLES: readonly Table[] = [
  {
    name: 'canary_runs',
    purge: 'no_project',
    retention: { expired: `ran_at < (select culprit_now()) - interval '2 days'` },
    exported: 'figures of the installation',
  },
];
