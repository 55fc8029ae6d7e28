import type { CaptureOverrides } from '@culprit/evidence/capture/capture-policy';
import type { RuleSettings } from '@culprit/evidence/capture/capture-rule';
import type { Queryable, Transaction } from '../platform/db/database.ts';
import { inTransaction, sql, statement } from '../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../platform/http/binding/time-page.ts';
import type { RecordTable } from '../workspace/access/access.queries.ts';
import { RULE_COLUMNS, type RuleRow } from './rule-records.ts';

/** The table in which the binder finds a rule that a request names. */
export const CAPTURE_RULE_RECORDS: RecordTable = {
  from: 'capture_rules r',
  projectId: 'r.project_id',
  recordId: 'r.rule_id',
};

/** The saved part of a project's policy. */
export interface SavedPolicy {
  preset: string;
  overrides: CaptureOverrides;
}

/** The saved policy of a live project; null when the project is gone. */
export const findPolicy = statement.one<[projectId: string], SavedPolicy>(
  'capture-policy-find',
  `select capture_preset as "preset", capture_overrides as "overrides" from projects
    where project_id = $1 and deleted_at is null`,
);

/**
 * Returns the same, locked, so that two changes are merged one after the other. Events may refer to the project in the
 * meantime.
 */
export const lockPolicy = inTransaction.one<[projectId: string], SavedPolicy>(
  'capture-policy-lock',
  `select capture_preset as "preset", capture_overrides as "overrides" from projects
    where project_id = $1 and deleted_at is null for no key update`,
);

/** Saves a policy as a new version. */
export async function savePolicy(
  transaction: Transaction,
  projectId: string,
  { preset, overrides }: SavedPolicy,
): Promise<void> {
  await transaction.query(
    sql('capture-policy-save')`update projects
        set capture_preset = $2, capture_overrides = $3, capture_version = capture_version + 1
        where project_id = $1`,
    [projectId, preset, JSON.stringify(overrides)],
  );
}

/**
 * Keeps others from changing a project's rules until the transaction ends. Events may refer to the project in the
 * meantime.
 * @returns how many rules it has, or null when the project is gone
 */
export const lockRules = inTransaction.value<[projectId: string], number | null>(
  'capture-rules-lock',
  `select capture_rule_count from projects
    where project_id = $1 and deleted_at is null for no key update`,
  null,
);

/**
 * Makes a new version of a project's rules, behind `lockRules`.
 * @param added rules that came (1) or went (-1)
 */
export const incrementRulesVersion = inTransaction.run<[projectId: string, added: -1 | 0 | 1]>(
  'capture-rules-version',
  `update projects
    set capture_version = capture_version + 1, capture_rule_count = capture_rule_count + $2::integer
    where project_id = $1`,
);

export interface NewRule extends RuleSettings {
  ruleId: string;
  projectId: string;
  createdByUserId: string;
  createdFromIncidentId: string | null;
  createdFromEventId: string | null;
  suggestionId: string | null;
}

/**
 * Later than every update of the project's rules, so that the later update always wins (docs/contract/ingestion.md 5.3
 * step 2).
 */
const NEXT_MOMENT = `greatest(culprit_now(), (select max(updated_at) + interval '1 ms' from capture_rules
  where project_id = $1))`;

/** Writes a rule behind `lockRules`. */
export async function insertRule(transaction: Transaction, rule: NewRule): Promise<RuleRow> {
  const [row] = await transaction.query<RuleRow>(
    sql(
      'capture-rule-insert',
    )`insert into capture_rules (project_id, rule_id, name, description, is_enabled, action, matcher,
          sample_rate, sample_event_class, expires_at, created_by_user_id, created_from_incident_id,
          created_from_event_id, suggestion_id, created_at, updated_at)
        select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, moment, moment
        from (select ${NEXT_MOMENT} as moment) m
        returning ${RULE_COLUMNS}`,
    [
      rule.projectId,
      rule.ruleId,
      ...settingParameters(rule),
      rule.createdByUserId,
      rule.createdFromIncidentId,
      rule.createdFromEventId,
      rule.suggestionId,
    ],
  );
  if (row === undefined) throw new Error('the rule row was not written');
  return row;
}

/** Replaces the settings of a rule behind `lockRules`. */
export async function updateRule(
  transaction: Transaction,
  projectId: string,
  ruleId: string,
  settings: RuleSettings,
): Promise<RuleRow | null> {
  const [row] = await transaction.query<RuleRow>(
    sql(
      'capture-rule-update',
    )`update capture_rules set name = $3, description = $4, is_enabled = $5, action = $6, matcher = $7,
          sample_rate = $8, sample_event_class = $9, expires_at = $10, updated_at = ${NEXT_MOMENT}
        where project_id = $1 and rule_id = $2
        returning ${RULE_COLUMNS}`,
    [projectId, ruleId, ...settingParameters(settings)],
  );
  return row ?? null;
}

function settingParameters(settings: RuleSettings) {
  return [
    settings.name,
    settings.description,
    settings.isEnabled,
    settings.action,
    JSON.stringify(settings.matcher),
    settings.sampleRate,
    settings.sampleEventClass,
    settings.expiresAtMs === null ? null : new Date(settings.expiresAtMs),
  ];
}

export const findRule = statement.one<[projectId: string, ruleId: string], RuleRow>(
  'capture-rule-find',
  `select ${RULE_COLUMNS} from capture_rules where project_id = $1 and rule_id = $2`,
);

/** Removes a rule behind `lockRules`; false when the project has no such rule. */
export const deleteRule = inTransaction.exists<[projectId: string, ruleId: string]>(
  'capture-rule-delete',
  'delete from capture_rules where project_id = $1 and rule_id = $2 returning rule_id',
);

/** A page of a project's rules, newest first. */
export async function listRules(database: Queryable, projectId: string, page: TimePage): Promise<RuleRow[]> {
  return await database.query<RuleRow>(
    sql('capture-rules-list')`select ${RULE_COLUMNS} from capture_rules
        where project_id = $1 and ($2::timestamptz is null or (created_at, rule_id) < ($2, $3::uuid))
        order by created_at desc, rule_id desc limit $4`,
    [projectId, ...pageParameters(page)],
  );
}

/** The rules of a project that are in force now, in no order; at most as many as a project may have. */
export const findActiveRules = statement.many<[projectId: string], RuleRow>(
  'capture-rules-active',
  `select ${RULE_COLUMNS} from capture_rules
    where project_id = $1 and is_enabled and (expires_at is null or expires_at > culprit_now())`,
);

/** The rules of a project that were made from suggestions for an incident. */
export async function findSuggestedRules(
  database: Queryable,
  projectId: string,
  incidentId: string,
): Promise<{ rule_id: string; suggestion_id: string; is_enabled: boolean }[]> {
  return await database.query(
    sql('capture-rules-suggested')`select rule_id, suggestion_id, is_enabled from capture_rules
        where project_id = $1 and created_from_incident_id = $2 and suggestion_id is not null`,
    [projectId, incidentId],
  );
}

/** An enabled rule of a project, or the fact that it has none, with the version at which both were read. */
type VersionedRuleRow = { project_id: string; capture_version: number; stack_rules: string[] } & (
  | (Pick<
      RuleRow,
      'rule_id' | 'action' | 'matcher' | 'sample_rate' | 'sample_event_class' | 'expires_at' | 'updated_at'
    > & { rule_id: string })
  | { rule_id: null }
);

/** The enabled rules of several projects, those that have expired included: time decides that again for each event. */
export const findEnabledRules = statement.many<[projectIds: readonly string[]], VersionedRuleRow>(
  'capture-rules-enabled',
  `select p.project_id, p.capture_version, p.stack_rules, r.rule_id, r.action, r.matcher, r.sample_rate,
      r.sample_event_class, r.expires_at, r.updated_at
    from projects p left join capture_rules r on r.project_id = p.project_id and r.is_enabled
    where p.project_id = any ($1::uuid[])`,
);
