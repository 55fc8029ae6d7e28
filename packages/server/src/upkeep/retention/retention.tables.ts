import type { Table } from '../../table.ts';

export const RETENTION_TABLES: readonly Table[] = [
  {
    name: 'object_tombstones',
    purge: ['by_blocks'],
    retention: { task: 'retention.clean-project' },
    exported: 'storage',
  },
  {
    name: 'incident_tombstones',
    purge: ['by_project'],
    retention: { task: 'retention.clean-project' },
    exported: 'storage',
  },
  { name: 'maintenance_tasks', purge: 'no_project', retention: 'kept', exported: 'times of periodic tasks' },
];
