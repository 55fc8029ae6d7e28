import type { Table } from '../table.ts';

export const CAPTURE_TABLES: readonly Table[] = [
  {
    name: 'capture_rule_hits',
    purge: [{ through: 'capture_rules', key: 'rule_id' }],
    retention: 'by_its_statements',
    exported: 'matches that are still to be counted',
  },
  {
    name: 'capture_rules',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'capture_rules',
        scope: 'project',
        key: 'rule_id',
        columns: `rule_id, project_id, name, description, is_enabled, action, matcher, sample_rate, sample_event_class,
          created_by_user_id, created_from_incident_id, created_from_event_id, suggestion_id, expires_at, hit_count,
          last_matched_at, created_at, updated_at`,
        from: 'capture_rules where project_id = $1',
      },
    ],
  },
];
