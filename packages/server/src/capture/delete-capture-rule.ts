import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { deleteRule, lockRules, missingRule, newRulesVersion } from './capture.queries.ts';
import type { CaptureRoom } from './capture.routes.ts';

/**
 * Deletes a rule (ingestion.md 5.4).
 * @throws Problem `project_not_found`, `forbidden`, `shared_access_suspended`, `rule_not_found`
 */
export async function deleteCaptureRule(
  { database, plans }: CaptureRoom,
  member: Member,
  ids: { projectId: string; ruleId: string },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const ruleId = parseId([], ids.ruleId);
  const access = await requireProject(database, plans, member.userId, ids.projectId, 'admin', (id) =>
    missingRule(database, id, ruleId),
  );
  const { projectId, organizationId } = access;
  if (ruleId === null) throw new Problem('rule_not_found');
  await database.transaction(async (transaction) => {
    if ((await lockRules(transaction, projectId)) === null) throw new Problem('project_not_found');
    if (!(await deleteRule(transaction, projectId, ruleId))) throw new Problem('rule_not_found');
    await newRulesVersion(transaction, projectId, -1);
  });
  await recordAudit(database, request, {
    action: 'capture_rule.deleted',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `capture_rule:${ruleId}`,
  });
}
