import type { Table } from '../../table.ts';

export const BUNDLE_TABLES: readonly Table[] = [
  {
    name: 'bundles',
    purge: ['by_incident'],
    retention: 'with_its_incident',
    exported: 'telemetry',
    objectColumn: 'object_key',
  },
  { name: 'context_kinds', purge: ['by_project'], retention: 'kept', exported: 'telemetry' },
];
