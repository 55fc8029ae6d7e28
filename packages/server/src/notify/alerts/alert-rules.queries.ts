import { waitsForTags } from '@culprit/contract/alerts/alert-query';
import type {
  Alert,
  AlertChannel,
  AlertCondition,
  AlertConfig,
  AlertScope,
} from '@culprit/contract/alerts/alerts';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { Parameter, Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import { openConfig, sealConfig } from '../../platform/secrets/sealed-address.ts';
import type { Secret } from '../../platform/secrets/secret.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { type AlertRule, shownConfig } from './alert-rule.ts';
import { storedThreshold, thresholdParameters } from './alert-threshold.ts';
import type { EnabledRule } from './match-rules.ts';

/** The table in which the binder finds an alert rule that a request names. */
export const ALERT_RECORDS: RecordTable = {
  from: 'alert_rules r',
  projectId: 'r.project_id',
  recordId: 'r.alert_id',
};

/** Statements over alert rules. Those for people are bound to the caller's projects. Ids are bare UUIDs. */

interface RuleRow {
  alert_id: string;
  project_id: string;
  created_by_user_id: string;
  name: string | null;
  service_id: string | null;
  services: string[] | null;
  environments: string[] | null;
  query: string | null;
  is_judged_late: boolean;
  channel: AlertChannel;
  condition_type: AlertCondition;
  severity_min: number | null;
  severity_lifecycle_scope: AlertScope | null;
  threshold_count: number | null;
  window_minutes: number | null;
  threshold_users: number | null;
  cooldown_seconds: number;
  config: AlertConfig;
  is_enabled: boolean;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `r.alert_id, r.project_id, r.created_by_user_id, r.name, r.service_id, r.services, r.environments, r.query, r.is_judged_late, r.channel,
  r.condition_type, r.severity_min, r.severity_lifecycle_scope, r.threshold_count, r.window_minutes, r.threshold_users,
  r.cooldown_seconds, r.config, r.is_enabled, r.created_at, r.updated_at`;

function ruleOf(
  row: Omit<RuleRow, 'project_id' | 'created_by_user_id' | 'created_at' | 'updated_at'>,
): AlertRule {
  return {
    name: row.name,
    serviceId: row.service_id,
    services: row.services,
    environments: row.environments,
    query: row.query,
    channel: row.channel,
    condition: row.condition_type,
    severityMin: row.severity_min === null ? null : (SEVERITIES[row.severity_min] ?? null),
    scope: row.severity_lifecycle_scope,
    threshold: storedThreshold(row),
    cooldownSeconds: row.cooldown_seconds,
    config: row.config,
    isEnabled: row.is_enabled,
  };
}

/** A rule as people see it; with an empty config, which sends nothing, when the data key was changed since. */
function recordOf(addressKey: Secret<Buffer>, row: RuleRow): Alert {
  return {
    alert_id: prefixedId('alt', row.alert_id),
    project_id: prefixedId('proj', row.project_id),
    created_by_user_id: row.created_by_user_id,
    name: row.name,
    service_id: row.service_id,
    services: row.services,
    environments: row.environments,
    query: row.query,
    channel: row.channel,
    condition_type: row.condition_type,
    severity_min: ruleOf(row).severityMin,
    severity_lifecycle_scope: row.severity_lifecycle_scope,
    threshold_count: row.threshold_count,
    window_minutes: row.window_minutes,
    threshold_users: row.threshold_users,
    cooldown_seconds: row.cooldown_seconds,
    config: shownConfig(openConfig(addressKey, row.config, row.alert_id) ?? {}),
    is_enabled: row.is_enabled,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** A page of a project's rules, newest first. */
export async function listRuleRows(
  database: Queryable,
  addressKey: Secret<Buffer>,
  projectId: string,
  page: TimePage,
): Promise<Alert[]> {
  const rows = await database.query<RuleRow>(
    sql('alerts-list')`select ${COLUMNS} from alert_rules r
        where r.project_id = $1 and ($2::timestamptz is null or (r.created_at, r.alert_id) < ($2, $3::uuid))
        order by r.created_at desc, r.alert_id desc limit $4`,
    [projectId, ...pageParameters(page)],
  );
  return rows.map((row) => recordOf(addressKey, row));
}

/** All rules of a project, the oldest first, with the times at which they were created and changed. */
export const findRules = statement.many<
  [projectId: string],
  RuleRow,
  EnabledRule & { createdAtMs: number; updatedAtMs: number }
>(
  'alerts-of-project',
  `select ${COLUMNS} from alert_rules r where r.project_id = $1 order by r.created_at, r.alert_id`,
  (row) => ({
    alertId: row.alert_id,
    isJudgedLate: row.is_judged_late,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    ...ruleOf(row),
  }),
);

/**
 * Locks a live project, so that two creations count one after the other, and counts its rules; null when the project is
 * gone.
 */
export async function lockProjectAndCountRules(
  transaction: Transaction,
  projectId: string,
): Promise<number | null> {
  if ((await lockProject(transaction, projectId)) === null) return null;
  const [row] = await transaction.query<{ rules: number }>(
    sql('alerts-count')`select count(*) as rules from alert_rules where project_id = $1`,
    [projectId],
  );
  return row?.rules ?? 0;
}

/** Returns true if a project has a service. */
export const hasService = statement.exists<[projectId: string, serviceId: string]>(
  'alert-service',
  'select 1 from services where service_id = $2 and project_id = $1',
);

export async function insertRule(
  transaction: Transaction,
  addressKey: Secret<Buffer>,
  ids: { alertId: string; projectId: string; createdByUserId: string },
  rule: AlertRule,
): Promise<Alert> {
  const [row] = await transaction.query<RuleRow>(
    sql('alert-insert')`insert into alert_rules as r (service_id, channel, condition_type, severity_min,
          severity_lifecycle_scope, cooldown_seconds, config, is_enabled, name, services, environments,
          threshold_count, window_minutes, threshold_users, query, is_judged_late, alert_id, project_id, created_by_user_id)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) returning ${COLUMNS}`,
    [...parametersOf(addressKey, ids.alertId, rule), ids.alertId, ids.projectId, ids.createdByUserId],
  );
  if (row === undefined) throw new Error('an inserted alert rule gave no row');
  return recordOf(addressKey, row);
}

/** Locks a rule of a project and reads it, addresses still sealed; null when it is gone. */
export const lockRule = inTransaction.one<[projectId: string, alertId: string], RuleRow, AlertRule>(
  'alert-lock',
  `select ${COLUMNS} from alert_rules r where r.alert_id = $2 and r.project_id = $1 for no key update`,
  ruleOf,
);

/** Writes a rule that the caller has locked. */
export async function updateRuleRow(
  transaction: Transaction,
  addressKey: Secret<Buffer>,
  projectId: string,
  alertId: string,
  rule: AlertRule,
): Promise<Alert> {
  const [row] = await transaction.query<RuleRow>(
    sql(
      'alert-update',
    )`update alert_rules r set service_id = $1, channel = $2, condition_type = $3, severity_min = $4,
          severity_lifecycle_scope = $5, cooldown_seconds = $6, config = $7, is_enabled = $8, name = $9,
          services = $10, environments = $11, threshold_count = $12, window_minutes = $13, threshold_users = $14,
          query = $15, is_judged_late = $16,
          -- Later also within one millisecond, so that clients see every update.
          updated_at = greatest(culprit_now(), r.updated_at + interval '1 ms')
        where r.alert_id = $17 and r.project_id = $18 returning ${COLUMNS}`,
    [...parametersOf(addressKey, alertId, rule), alertId, projectId],
  );
  if (row === undefined) throw new Error('a locked alert rule gave no row');
  return recordOf(addressKey, row);
}

function parametersOf(addressKey: Secret<Buffer>, alertId: string, rule: AlertRule): Parameter[] {
  return [
    rule.serviceId,
    rule.channel,
    rule.condition,
    rule.severityMin === null ? null : SEVERITIES.indexOf(rule.severityMin),
    rule.scope,
    rule.cooldownSeconds,
    JSON.stringify(sealConfig(addressKey, rule.config, alertId)),
    rule.isEnabled,
    rule.name,
    rule.services,
    rule.environments,
    ...thresholdParameters(rule.threshold),
    rule.query,
    rule.query !== null && waitsForTags(rule.query),
  ];
}

/** Removes a rule; false when it is gone already. */
export const deleteRuleRow = inTransaction.exists<[projectId: string, alertId: string]>(
  'alert-delete',
  `with crossings as (delete from alert_crossings where project_id = $1 and alert_id = $2)
    delete from alert_rules where alert_id = $2 and project_id = $1 returning alert_id`,
);

/**
 * Returns the enabled rules of a project, held until the transaction ends. A request that disables one waits, and then
 * finds the deliveries that were created for it; another evaluation of the same rules waits too, so that cooldowns and
 * digests are exact. Addresses stay sealed: only senders need them.
 */
export const lockEnabledRules = inTransaction.many<[projectId: string], RuleRow, EnabledRule>(
  'alerts-hold-enabled',
  `select ${COLUMNS} from alert_rules r where r.project_id = $1 and r.is_enabled
    order by r.alert_id for no key update`,
  (row) => ({ alertId: row.alert_id, isJudgedLate: row.is_judged_late, ...ruleOf(row) }),
);
