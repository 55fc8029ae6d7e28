import type { Table } from '../table.ts';

export const PROBE_TABLES: readonly Table[] = [
  {
    name: 'probe_activations',
    purge: ['by_project'],
    retention: 'by_its_statements',
    exported: [
      {
        kind: 'probe_activations',
        scope: 'project',
        key: 'activation_id',
        columns: `activation_id, project_id, label_pattern, service, environment, sample_rate, activated_by_user_id,
          created_at, expires_at, trigger_expires_at, deactivated_at`,
        from: 'probe_activations where project_id = $1',
      },
    ],
  },
];
