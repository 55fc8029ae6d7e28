import { randomUUID } from 'node:crypto';
import type { CaptureRule } from '@culprit/contract/capture';
import { CAPTURE_RULES_MAX } from '@culprit/contract/capture';
import type { NewCaptureRule } from '@culprit/contract/capture-rules';
import { recordAudit } from '../audit/record-audit.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { insertRule, lockRules, type NewRule, newRulesVersion, readClock } from './capture.queries.ts';
import type { CaptureRoom } from './capture.routes.ts';
import { isSoundRule, newRuleSettings } from './capture-rule.ts';
import { captureRuleOf } from './rule-records.ts';

/**
 * Creates a rule; it counts from the next ingestion request on (ingestion.md 5.4).
 * @throws Problem `invalid_payload`, `project_not_found`, `forbidden`, `shared_access_suspended`,
 * `capture_rule_limit_reached`
 */
export async function createCaptureRule(
  { database, plans }: CaptureRoom,
  member: Member,
  id: string,
  body: NewCaptureRule,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<CaptureRule> {
  const settings = newRuleSettings(body);
  if (!isSoundRule(settings)) throw new Problem('invalid_payload');
  await requireFutureExpiry(database, settings.expiresAtMs);
  const access = await requireProject(database, plans, member.userId, id, 'admin');
  return await addRule(
    { database, member, access, request },
    {
      ...settings,
      createdFromIncidentId: body.created_from_incident_id ?? null,
      createdFromEventId: body.created_from_event_id ?? null,
      suggestionId: null,
    },
  );
}

/**
 * A rule that ends before it begins can never act. The body is judged before anything that needs access is looked up.
 * @throws Problem `invalid_payload`
 */
export async function requireFutureExpiry(database: Queryable, expiresAtMs: number | null): Promise<void> {
  if (expiresAtMs !== null && expiresAtMs <= (await readClock(database)))
    throw new Problem('invalid_payload');
}

/** Who adds a rule to which project. */
export interface RuleAuthor {
  database: CaptureRoom['database'];
  member: Member;
  /** Of somebody who may (`requireProject`). */
  access: { projectId: string; organizationId: string };
  request: Pick<RequestContext, 'log' | 'clientAddress'>;
}

/**
 * Writes a sound rule with its place among those the project may have, which is exact however many are added at once.
 * @param check looked at while nobody else can change the project's rules; may throw
 * @throws Problem `capture_rule_limit_reached`, `project_not_found`
 */
export async function addRule(
  { database, member, access, request }: RuleAuthor,
  rule: Omit<NewRule, 'ruleId' | 'projectId' | 'createdByUserId'>,
  check: (transaction: Queryable) => Promise<void> = async () => {},
): Promise<CaptureRule> {
  const { projectId, organizationId } = access;
  // Not time-ordered like our other ids: published libraries check it, and some know no newer version than 4.
  const ruleId = randomUUID();
  const row = await database.transaction(async (transaction) => {
    const count = await lockRules(transaction, projectId);
    if (count === null) throw new Problem('project_not_found');
    await check(transaction);
    if (count >= CAPTURE_RULES_MAX) throw new Problem('capture_rule_limit_reached');
    await newRulesVersion(transaction, projectId, 1);
    return await insertRule(transaction, { ...rule, ruleId, projectId, createdByUserId: member.userId });
  });
  await recordAudit(database, request, {
    action: 'capture_rule.created',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `capture_rule:${ruleId}`,
    data: { action: row.action, is_enabled: row.is_enabled, suggestion_id: row.suggestion_id },
  });
  return captureRuleOf(row);
}
