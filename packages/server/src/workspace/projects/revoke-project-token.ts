import type { revokeProjectToken as endpoint, ProjectToken } from '@culprit/contract/workspace/tokens';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findProjectToken, revokeLiveProjectToken } from '../tokens/project-tokens.queries.ts';

/**
 * Revokes a token of a project; a second time keeps the first time (docs/contract/account.md 1.6).
 * @throws Problem `token_not_found` for anything that is not the project's
 */
export async function revokeProjectToken(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<ProjectToken> {
  const { access, caller, params } = request;
  const { projectId } = access;
  const tokenId = parseId(['tok'], params.tokenId);
  if (tokenId === null) throw new Problem('token_not_found');
  const revoked = await revokeLiveProjectToken(database, projectId, tokenId);
  if (revoked === null) {
    const token = await findProjectToken(database, projectId, tokenId);
    if (token === null) throw new Problem('token_not_found');
    return token;
  }
  await recordAudit(database, request, {
    ...access,
    action: 'project_token.revoked',
    actorUserId: caller.userId,
    subject: `token:${revoked.token_id}`,
  });
  return revoked;
}
