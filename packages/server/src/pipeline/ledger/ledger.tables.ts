import type { Table } from '../../table.ts';

export const LEDGER_TABLES: readonly Table[] = [
  {
    name: 'lifecycle_events',
    purge: ['by_incident', { through: 'improvements', key: 'improvement_id' }],
    retention: 'with_its_incident',
    exported: 'telemetry',
  },
  {
    name: 'lifecycle_feed',
    purge: 'no_project',
    retention: 'kept',
    exported: 'a mark of the database',
    isLeftOutOfBackups: true,
  },
];
