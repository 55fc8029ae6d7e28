import type { Table } from '../../table.ts';

export const PROJECT_TABLES: readonly Table[] = [
  {
    name: 'projects',
    purge: 'with_the_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'projects',
        scope: 'project',
        key: 'project_id',
        columns: `project_id, organization_id, name, slug, incident_key, environment_default, stack_rules, learns_slots, shows_source, resolves_after_days, heartbeats_from_clients, repositories, weekly_report_timezone, capture_preset,
          capture_overrides, automated_improvement_bundles_enabled, improvement_bundle_sensitivity, created_at,
          updated_at`,
        from: 'projects where project_id = $1',
      },
    ],
  },
  {
    name: 'project_usage',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'project_usage',
        scope: 'project',
        key: { expression: `month_started_at::text || ' ' || meter`, type: 'text' },
        columns: 'project_id, month_started_at, meter, used',
        from: 'project_usage where project_id = $1',
      },
    ],
  },
];
