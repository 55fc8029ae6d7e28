import { SEALED_FIELDS } from '../../platform/secrets/sealed-address.ts';
import type { Table } from '../../table.ts';

export const ALERT_TABLES: readonly Table[] = [
  // Before the messages, whose deletion would delete all the rest of them in one statement.
  {
    name: 'alert_deliveries',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'alert_deliveries',
        scope: 'project',
        key: 'd.alert_delivery_id',
        columns: `d.alert_delivery_id, d.alert_id, d.project_id, d.incident_id, d.dedupe_key, d.notification_key,
          m.channel, case when d.dropped_at is null then m.status else 'failed' end as status, m.attempt_count,
          case when d.dropped_at is null then m.next_attempt_at end as next_attempt_at, m.last_attempted_at,
          m.last_response_code,
          case when d.dropped_at is null then m.last_error else 'alert_disabled' end as last_error, d.created_at,
          case when d.dropped_at is null then m.delivered_at end as delivered_at`,
        from: 'alert_deliveries d join alert_messages m using (message_id) where d.project_id = $1',
      },
    ],
  },
  {
    name: 'alert_messages',
    purge: ['by_project'],
    // Those that have ended, with their deliveries (docs/contract/notifications.md 1.11).
    retention: {
      expired: `created_at < (select culprit_now() - interval '30 days') and next_attempt_at is null`,
    },
    exported: 'shown through their deliveries',
  },
  {
    name: 'alert_receivers',
    purge: ['by_project'],
    retention: {
      expired: 'not exists (select from alert_messages m where m.receiver_id = alert_receivers.receiver_id)',
    },
    exported: 'state of sending',
  },
  {
    name: 'alert_refusals',
    purge: ['by_project'],
    // They are kept as long as the messages that were sent.
    retention: { expired: `created_at < (select culprit_now() - interval '30 days')` },
    exported: 'reasons of verdicts',
  },
  {
    name: 'alert_crossings',
    purge: ['by_project'],
    retention: {
      expired: 'not exists (select from incidents i where i.incident_id = alert_crossings.incident_id)',
    },
    exported: 'state of alert rules',
  },
  {
    name: 'alert_rules',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'alerts',
        scope: 'project',
        key: 'alert_id',
        columns: `alert_id, project_id, created_by_user_id, name, service_id, services, environments, query, channel, condition_type,
          (array['low', 'medium', 'high', 'critical'])[severity_min + 1] as severity_min, severity_lifecycle_scope,
          threshold_count, window_minutes, threshold_users, cooldown_seconds, config - '{${SEALED_FIELDS.join(',')}}'::text[] as config, is_enabled, created_at, updated_at`,
        from: 'alert_rules where project_id = $1',
      },
    ],
  },
];
