import type { CaptureRule } from '@culprit/contract/capture';
import type { CaptureRulePatch } from '@culprit/contract/capture-rules';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findRule, lockRules, missingRule, newRulesVersion, updateRule } from './capture.queries.ts';
import type { CaptureRoom } from './capture.routes.ts';
import { isSoundRule, patchedSettings } from './capture-rule.ts';
import { captureRuleOf, settingsOf } from './rule-records.ts';

/**
 * Changes a rule; what comes out must be as sound as a new one (ingestion.md 5.4). A change of nothing is none.
 * @throws Problem `project_not_found`, `forbidden`, `shared_access_suspended`, `rule_not_found`, `invalid_payload`
 */
export async function updateCaptureRule(
  { database, plans }: CaptureRoom,
  member: Member,
  ids: { projectId: string; ruleId: string },
  patch: CaptureRulePatch,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<CaptureRule> {
  const ruleId = parseId([], ids.ruleId);
  const access = await requireProject(database, plans, member.userId, ids.projectId, 'admin', (id) =>
    missingRule(database, id, ruleId),
  );
  const { projectId, organizationId } = access;
  const fields = Object.keys(patch);

  const row = await database.transaction(async (transaction) => {
    // So that what is merged is what was read.
    if ((await lockRules(transaction, projectId)) === null) throw new Problem('project_not_found');
    const before = ruleId === null ? null : await findRule(transaction, projectId, ruleId);
    if (before === null) throw new Problem('rule_not_found');
    if (fields.length === 0) return before;
    const settings = patchedSettings(settingsOf(before), patch);
    if (!isSoundRule(settings)) throw new Problem('invalid_payload');
    const after = await updateRule(transaction, projectId, before.rule_id, settings);
    if (after === null) throw new Problem('rule_not_found');
    await newRulesVersion(transaction, projectId, 0);
    return after;
  });

  if (fields.length > 0) {
    await recordAudit(database, request, {
      action: 'capture_rule.updated',
      actorUserId: member.userId,
      organizationId,
      projectId,
      subject: `capture_rule:${row.rule_id}`,
      data: { fields: fields.join(' ') },
    });
  }
  return captureRuleOf(row);
}
