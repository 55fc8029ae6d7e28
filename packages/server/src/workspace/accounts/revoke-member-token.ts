import type { revokeMemberToken as endpoint, MemberToken } from '@culprit/contract/workspace/tokens';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findMemberToken, revokeLiveMemberToken } from '../tokens/member-tokens.queries.ts';
import { seenBy } from '../tokens/token-records.ts';

/**
 * Revokes a token of the member, also the one they came with; a second time keeps the first time
 * (docs/contract/account.md 1.6).
 * @throws Problem `token_not_found` for anything that is not theirs
 */
export async function revokeMemberToken(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<MemberToken> {
  const { userId } = request.caller;
  const tokenId = parseId(['tok'], request.params.tokenId);
  if (tokenId === null) throw new Problem('token_not_found');
  const revoked = await revokeLiveMemberToken(database, userId, tokenId);
  if (revoked === null) {
    const token = await findMemberToken(database, userId, tokenId);
    if (token === null) throw new Problem('token_not_found');
    return seenBy(request.caller, token);
  }
  await recordAudit(database, request, {
    action: 'member_token.revoked',
    actorUserId: userId,
    organizationId: revoked.organization_id,
    subject: `token:${revoked.token_id}`,
  });
  return seenBy(request.caller, revoked);
}
