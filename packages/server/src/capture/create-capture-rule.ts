import { randomUUID } from 'node:crypto';
import type { CaptureRule } from '@culprit/contract/capture/capture';
import { CAPTURE_RULES_MAX } from '@culprit/contract/capture/capture';
import type { createCaptureRule as endpoint } from '@culprit/contract/capture/capture-rules';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { newRuleSettings, type RuleSettings } from '@culprit/evidence/capture/capture-rule';
import type { Database, Queryable, Transaction } from '../platform/db/database.ts';
import { readClock } from '../platform/db/read-clock.ts';
import type { RequestContext } from '../platform/http/binding/operation.ts';
import { invalidPayload } from '../platform/http/binding/payload-fault.ts';
import { Problem } from '../platform/http/binding/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import type { Member } from '../workspace/tokens/authenticate-member.ts';
import { incrementRulesVersion, insertRule, lockRules, type NewRule } from './capture.queries.ts';
import { requireSoundRule } from './require-sound-rule.ts';
import { captureRuleOf } from './rule-records.ts';

/** The rule that a body describes. @throws Problem `invalid_payload` */
export async function checkNewRule(
  { database }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): Promise<RuleSettings> {
  const settings = newRuleSettings(body);
  requireSoundRule(settings);
  await requireFutureExpiry(database, settings.expiresAtMs);
  return settings;
}

/**
 * Creates a rule; it counts from the next ingestion request on (docs/contract/ingestion.md 5.4).
 * @throws Problem `project_not_found` when it was deleted, `capture_rule_limit_reached`
 */
export async function createCaptureRule(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint, RuleSettings>,
): Promise<CaptureRule> {
  const { access, body, caller, checked: settings } = request;
  return await addRule(
    { database, member: caller, access, request },
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
    throw invalidPayload('/expires_at', 'must be in the future');
}

/** The person who adds a rule, and the project that gets it. */
interface RuleAuthor {
  database: Database;
  member: Member;
  /** The access of a person with the right to add rules: the binder has checked it. */
  access: { projectId: string; organizationId: string };
  request: Pick<RequestContext, 'log' | 'clientAddress'>;
}

/**
 * Writes a sound rule with its place among those the project may have, which is exact for any number of concurrent
 * calls.
 * @param check runs while no other transaction can change the project's rules; may throw
 * @throws Problem `capture_rule_limit_reached`, `project_not_found`
 */
export async function addRule(
  { database, member, access, request }: RuleAuthor,
  rule: Omit<NewRule, 'ruleId' | 'projectId' | 'createdByUserId'>,
  check: (transaction: Transaction) => Promise<void> = async () => {},
): Promise<CaptureRule> {
  const { projectId, organizationId } = access;
  // Not time-ordered like our other ids: published libraries check it, and some know no newer version than 4.
  const ruleId = randomUUID();
  const row = await database.transaction(async (transaction) => {
    const count = await lockRules(transaction, projectId);
    if (count === null) throw new Problem('project_not_found');
    await check(transaction);
    if (count >= CAPTURE_RULES_MAX) throw new Problem('capture_rule_limit_reached');
    await incrementRulesVersion(transaction, projectId, 1);
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
