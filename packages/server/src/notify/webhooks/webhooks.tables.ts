import type { Table } from '../../table.ts';

export const WEBHOOK_TABLES: readonly Table[] = [
  // Before the webhooks, whose deletion would delete all the rest of them in one statement.
  {
    name: 'webhook_deliveries',
    purge: ['by_blocks'],
    // Those that have ended (docs/contract/notifications.md 3.8).
    retention: {
      expired: `created_at < (select culprit_now() - interval '30 days') and next_attempt_at is null`,
    },
    exported: 'telemetry',
  },
  {
    name: 'webhooks',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'webhooks',
        scope: 'project',
        key: 'webhook_id',
        columns:
          'webhook_id, project_id, created_by_user_id, url, events, filters, is_enabled, created_at, updated_at',
        from: 'webhooks where project_id = $1',
      },
    ],
  },
];
