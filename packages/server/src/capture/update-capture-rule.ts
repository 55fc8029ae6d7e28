import type { CaptureRule } from '@culprit/contract/capture/capture';
import type { updateCaptureRule as endpoint } from '@culprit/contract/capture/capture-rules';
import { patchedSettings } from '@culprit/evidence/capture/capture-rule';
import { Problem } from '../platform/http/binding/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { findRule, incrementRulesVersion, lockRules, updateRule } from './capture.queries.ts';
import { requireSoundRule } from './require-sound-rule.ts';
import { captureRuleOf, settingsOf } from './rule-records.ts';

/**
 * Changes a rule; the result must be as sound as a new one (docs/contract/ingestion.md 5.4). An empty change changes
 * nothing.
 * @throws Problem `project_not_found`, `rule_not_found` when one of them was deleted in the meantime, `invalid_payload`
 */
export async function updateCaptureRule(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<CaptureRule> {
  const { access, body: patch, caller } = request;
  const { projectId, recordId: ruleId } = access;
  const fields = Object.keys(patch);

  const row = await database.transaction(async (transaction) => {
    // So that what is merged is what was read.
    if ((await lockRules(transaction, projectId)) === null) throw new Problem('project_not_found');
    const before = await findRule(transaction, projectId, ruleId);
    if (before === null) throw new Problem('rule_not_found');
    if (fields.length === 0) return before;
    const settings = patchedSettings(settingsOf(before), patch);
    requireSoundRule(settings);
    const after = await updateRule(transaction, projectId, before.rule_id, settings);
    if (after === null) throw new Problem('rule_not_found');
    await incrementRulesVersion(transaction, projectId, 0);
    return after;
  });

  if (fields.length > 0) {
    await recordAudit(database, request, {
      ...access,
      action: 'capture_rule.updated',
      actorUserId: caller.userId,
      subject: `capture_rule:${row.rule_id}`,
      data: { fields: fields.join(' ') },
    });
  }
  return captureRuleOf(row);
}
