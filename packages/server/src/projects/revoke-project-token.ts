import type { ProjectToken } from '@culprit/contract/tokens';
import { recordAudit } from '../audit/record-audit.ts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findProjectToken, revokeLiveProjectToken } from '../tokens/project-tokens.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * Revokes a token of a project; a second time keeps the first time (account.md 1.6).
 * @throws Problem `project_not_found`, `shared_access_suspended`, `token_not_found` for anything that is not the
 * project's
 */
export async function revokeProjectToken(
  options: { database: Database; plans: PlanSettings },
  member: Member,
  ids: { id: string; tokenId: string },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<ProjectToken> {
  const { database, plans } = options;
  const { projectId, organizationId } = await requireProject(database, plans, member.userId, ids.id);
  const tokenId = parseId(['tok'], ids.tokenId);
  if (tokenId === null) throw new Problem('token_not_found');
  const revoked = await revokeLiveProjectToken(database, projectId, tokenId);
  if (revoked === null) {
    const token = await findProjectToken(database, projectId, tokenId);
    if (token === null) throw new Problem('token_not_found');
    return token;
  }
  await recordAudit(database, request, {
    action: 'project_token.revoked',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `token:${revoked.token_id}`,
  });
  return revoked;
}
