import type { deleteCaptureRule as endpoint } from '@culprit/contract/capture/capture-rules';
import { Problem } from '../platform/http/binding/problem.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiRequest } from '../workspace/access/api-callers.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { deleteRule, incrementRulesVersion, lockRules } from './capture.queries.ts';

/**
 * Deletes a rule (docs/contract/ingestion.md 5.4).
 * @throws Problem `project_not_found`, `rule_not_found` when one of them was deleted in the meantime
 */
export async function deleteCaptureRule(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { access, caller } = request;
  const { projectId, recordId: ruleId } = access;
  await database.transaction(async (transaction) => {
    if ((await lockRules(transaction, projectId)) === null) throw new Problem('project_not_found');
    if (!(await deleteRule(transaction, projectId, ruleId))) throw new Problem('rule_not_found');
    await incrementRulesVersion(transaction, projectId, -1);
  });
  await recordAudit(database, request, {
    ...access,
    action: 'capture_rule.deleted',
    actorUserId: caller.userId,
    subject: `capture_rule:${ruleId}`,
  });
}
