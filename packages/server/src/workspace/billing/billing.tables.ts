import type { Table } from '../../table.ts';

export const BILLING_TABLES: readonly Table[] = [
  {
    name: 'usage_counters',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'usage',
        scope: 'organization',
        key: { expression: `window_started_at::text || ' ' || meter`, type: 'text' },
        columns: 'window_started_at, meter, used',
        from: 'usage_counters where organization_id = $1',
      },
    ],
  },
];
