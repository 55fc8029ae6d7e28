import type { ExportedKind } from '@culprit/contract/account';
import type { Queryable, Statement } from '../platform/db/database.ts';

/** Whose rows a kind has: each kind is read for one id of that sort at a time. */
export type ExportScope = 'user' | 'organization' | 'project' | 'service';

/** The rows of one kind of record, in the order of an ascending key, page by page. */
export interface ExportSource {
  scope: ExportScope;
  /** Takes the scope's id, the key to go on behind, the size of the page. */
  statement: Statement;
  /** Stands before every key. */
  firstKey: string;
}

/** A row as it is exported, apart from the form of times and ids. */
export type ExportRow = Record<string, unknown>;

/** A page of a kind and the key to go on behind; null at the end. */
export interface ExportPage {
  rows: ExportRow[];
  nextKey: string | null;
}

/** The lowest key of each type. */
const FIRST_KEY = { uuid: '00000000-0000-0000-0000-000000000000', bigint: '0', text: '' } as const;

/**
 * Everything an export holds, in its order. No column with a hash, a key, a code or a secret of any kind is named here
 * (account.md 5); what is read of events and bundles has the retention of telemetry and is not part of an account.
 */
export const EXPORT_SOURCES: Readonly<Record<ExportedKind, ExportSource>> = {
  accounts: source('accounts', 'user', {
    ...plainKey('user_id'),
    columns: `user_id, email, email_verified_at, terms_accepted_at, has_used_email, has_used_github,
      github_id::text as github_id, created_at`,
    from: 'users where user_id = $1',
  }),
  sessions: source('sessions', 'user', {
    ...plainKey('session_id'),
    columns: 'session_id, organization_id, created_at, last_used_at, expires_at, revoked_at',
    from: 'sessions where user_id = $1',
  }),
  member_tokens: source('member_tokens', 'user', {
    ...plainKey('token_id'),
    columns: 'token_id, organization_id, label, token_preview, created_at, last_used_at, revoked_at',
    from: 'member_tokens where user_id = $1',
  }),
  memberships: source('memberships', 'user', {
    ...plainKey('m.project_id'),
    columns: 'm.project_id, p.name as project_name, m.role, m.created_at',
    from: `project_members m join projects p on p.project_id = m.project_id and p.deleted_at is null
      where m.user_id = $1 and m.role <> 'owner'`,
  }),
  own_actions: source('own_actions', 'user', {
    ...plainKey('audit_id', 'bigint'),
    columns: 'at as done_at, action, organization_id, project_id, subject, address_class, data',
    from: `audit_log where actor_user_id = $1
      and not exists (select from organizations o
        where o.organization_id = audit_log.organization_id and o.owner_user_id = $1)`,
  }),
  organizations: source('organizations', 'organization', {
    ...plainKey('organization_id'),
    columns: `organization_id, name, plan, plan_started_at, trial_plan, trial_started_at, trial_ends_at,
      trial_converted_at, additional_units, pending_units, pending_units_at, created_at`,
    from: 'organizations where organization_id = $1',
  }),
  slack_destinations: source('slack_destinations', 'organization', {
    ...plainKey('slack_destination_id'),
    columns: `slack_destination_id, organization_id, slack_team_id, slack_team_name, slack_channel_id,
      slack_channel_name, installed_by_member_id, is_active, created_at, updated_at`,
    from: 'slack_destinations where organization_id = $1',
  }),
  usage: source('usage', 'organization', {
    ...plainKey(`window_started_at::text || ' ' || meter`, 'text'),
    columns: 'window_started_at, meter, used',
    from: 'usage_counters where organization_id = $1',
  }),
  audit: source('audit', 'organization', {
    ...plainKey('audit_id', 'bigint'),
    columns: 'at as done_at, action, actor_user_id, project_id, subject, address_class, data',
    from: 'audit_log where organization_id = $1',
  }),
  projects: source('projects', 'project', {
    ...plainKey('project_id'),
    columns: `project_id, organization_id, name, slug, environment_default, weekly_report_timezone, capture_preset,
      capture_overrides, automated_improvement_bundles_enabled, improvement_bundle_sensitivity, created_at, updated_at`,
    from: 'projects where project_id = $1',
  }),
  project_usage: source('project_usage', 'project', {
    ...plainKey(`month_started_at::text || ' ' || meter`, 'text'),
    columns: 'project_id, month_started_at, meter, used',
    from: 'project_usage where project_id = $1',
  }),
  members: source('members', 'project', {
    ...plainKey('m.user_id'),
    columns: 'm.project_id, m.user_id, u.email, m.role, m.created_at',
    from: 'project_members m join users u on u.user_id = m.user_id where m.project_id = $1',
  }),
  invites: source('invites', 'project', {
    ...plainKey('invite_id'),
    columns: `invite_id, project_id, email, role, invited_by_user_id, accepted_at, canceled_at, expires_at,
      created_at`,
    from: 'project_invites where project_id = $1',
  }),
  project_tokens: source('project_tokens', 'project', {
    ...plainKey('token_id'),
    columns: `token_id, project_id, label, token_preview, allowed_origins, created_by_user_id, created_at,
      last_used_at, revoked_at`,
    from: 'project_tokens where project_id = $1',
  }),
  capture_rules: source('capture_rules', 'project', {
    ...plainKey('rule_id'),
    columns: `rule_id, project_id, name, description, is_enabled, action, matcher, sample_rate, sample_event_class,
      created_by_user_id, created_from_incident_id, created_from_event_id, suggestion_id, expires_at, hit_count,
      last_matched_at, created_at, updated_at`,
    from: 'capture_rules where project_id = $1',
  }),
  probe_activations: source('probe_activations', 'project', {
    ...plainKey('activation_id'),
    columns: `activation_id, project_id, label_pattern, service, environment, sample_rate, activated_by_user_id,
      created_at, expires_at, trigger_expires_at, deactivated_at`,
    from: 'probe_activations where project_id = $1',
  }),
  alerts: source('alerts', 'project', {
    ...plainKey('alert_id'),
    columns: `alert_id, project_id, created_by_user_id, service_id, channel, condition_type,
      (array['low', 'medium', 'high', 'critical'])[severity_min + 1] as severity_min, severity_lifecycle_scope,
      cooldown_seconds, config - 'webhook_url' as config, is_enabled, created_at, updated_at`,
    from: 'alert_rules where project_id = $1',
  }),
  alert_deliveries: source('alert_deliveries', 'project', {
    ...plainKey('d.alert_delivery_id'),
    columns: `d.alert_delivery_id, d.alert_id, d.project_id, d.incident_id, d.dedupe_key, d.notification_key,
      m.channel, case when d.dropped_at is null then m.status else 'failed' end as status, m.attempt_count,
      case when d.dropped_at is null then m.next_attempt_at end as next_attempt_at, m.last_attempted_at,
      m.last_response_code,
      case when d.dropped_at is null then m.last_error else 'alert_disabled' end as last_error, d.created_at,
      case when d.dropped_at is null then m.delivered_at end as delivered_at`,
    from: 'alert_deliveries d join alert_messages m using (message_id) where d.project_id = $1',
  }),
  availability_checks: source('availability_checks', 'project', {
    ...plainKey('check_id'),
    columns: `check_id, project_id, name, url, method, expected_status_min, expected_status_max, timeout_ms,
      interval_seconds, failure_threshold, recovery_threshold, environment, service_name, is_enabled, created_at,
      updated_at`,
    from: 'availability_checks where project_id = $1',
  }),
  webhooks: source('webhooks', 'project', {
    ...plainKey('webhook_id'),
    columns: `webhook_id, project_id, created_by_user_id, url, events, filters, is_enabled, created_at, updated_at`,
    from: 'webhooks where project_id = $1',
  }),
  weekly_report_channels: source('weekly_report_channels', 'project', {
    ...plainKey('channel_id'),
    columns: `channel_id, project_id, channel, config - 'webhook_url' as config, day_of_week, hour_of_day, timezone,
      is_enabled, created_at, updated_at`,
    from: 'weekly_report_channels where project_id = $1',
  }),
  services: source('services', 'project', {
    // Continues the index that begins with the project.
    key: 'json_build_array(name, environment)::text',
    firstKey: '["",""]',
    isBehind: '(name, environment) > ($2::json->>0, $2::json->>1)',
    order: 'name, environment',
    columns: 'service_id, project_id, name, environment, runtime, framework, last_seen_at',
    from: 'services where project_id = $1',
  }),
  deployments: source('deployments', 'project', {
    ...plainKey('deployment_id'),
    columns: `deployment_id, project_id, service_name, environment, version, commit_sha, branch, deployed_at`,
    from: 'deployments where project_id = $1',
  }),
  // By the index that no event moves an incident in, so that each is met once.
  incidents: source('incidents', 'service', {
    key: `json_build_array(fingerprint_version, encode(fingerprint, 'hex'))::text`,
    firstKey: '["",""]',
    isBehind: `(fingerprint_version, fingerprint) > ($2::json->>0, decode($2::json->>1, 'hex'))`,
    order: 'fingerprint_version, fingerprint',
    columns: `incident_id, project_id, service_id, service_name, environment, title,
      (array['low', 'medium', 'high', 'critical'])[severity + 1] as severity, status, first_seen_at, last_seen_at,
      occurrence_count, affected_users, resolved_at, resolved_by_user_id, regressed_at, reason_kind,
      reason_description`,
    from: 'incidents where service_id = $1',
  }),
  improvements: source('improvements', 'service', {
    ...plainKey('improvement_id'),
    columns: `improvement_id, project_id, service_id, service_name, environment, detector, title, summary, status,
      (array['low', 'medium', 'high', 'critical'])[severity + 1] as severity, first_detected_at, last_detected_at,
      occurrence_count, resolved_at, snoozed_until`,
    from: "improvements where service_id = $1 and status <> 'candidate'",
  }),
};

interface SourceParts {
  /** Text of the key, as it is given back for the next page. */
  key: string;
  firstKey: string;
  /** True for rows behind the key `$2`. */
  isBehind: string;
  order: string;
  columns: string;
  from: string;
}

/** A key that is one ascending column or expression. */
function plainKey(
  column: string,
  type: keyof typeof FIRST_KEY = 'uuid',
): Omit<SourceParts, 'columns' | 'from'> {
  return {
    key: `(${column})::text`,
    firstKey: FIRST_KEY[type],
    isBehind: `${column} > $2::${type}`,
    order: column,
  };
}

function source(kind: ExportedKind, scope: ExportScope, parts: SourceParts): ExportSource {
  const { key, firstKey, isBehind, order, columns, from } = parts;
  return {
    scope,
    firstKey,
    statement: {
      name: `account-export-${kind}`,
      text: `select ${key} as export_key, ${columns} from ${from} and ${isBehind} order by ${order} limit $3`,
    },
  };
}

/** Reads a page behind a key. `scopeId` is a bare UUID. */
export async function readExportPage(
  database: Queryable,
  { statement }: ExportSource,
  scopeId: string,
  afterKey: string,
  limit: number,
): Promise<ExportPage> {
  const rows = await database.query<{ export_key: string } & ExportRow>(statement, [
    scopeId,
    afterKey,
    limit,
  ]);
  return {
    rows: rows.map(({ export_key: _, ...row }) => row),
    nextKey: rows.length < limit ? null : (rows.at(-1)?.export_key ?? null),
  };
}

/** The moment by the database clock, in milliseconds since the epoch. */
export async function readExportTime(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now: number }>({
    name: 'account-export-time',
    text: 'select culprit_now() as now',
  });
  if (row === undefined) throw new Error('the clock gave no time');
  return row.now;
}
