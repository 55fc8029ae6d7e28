import type { MemberToken } from '@culprit/contract/tokens';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from './authenticate-member.ts';
import { readMemberToken, revokeLiveMemberToken } from './member-tokens.queries.ts';

/**
 * Revokes a token of the member, also the one they came with; a second time keeps the first time (account.md 1.6).
 * @throws Problem `token_not_found` for anything that is not theirs
 */
export async function revokeMemberToken(
  database: Database,
  member: Member,
  id: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<MemberToken> {
  const { userId } = member;
  const tokenId = parseId(['tok'], id);
  if (tokenId === null) throw new Problem('token_not_found');
  const revoked = await revokeLiveMemberToken(database, userId, tokenId);
  if (revoked === null) {
    const token = await readMemberToken(database, userId, tokenId);
    if (token === null) throw new Problem('token_not_found');
    return token;
  }
  await recordAudit(database, request, {
    action: 'member_token.revoked',
    actorUserId: userId,
    organizationId: revoked.organization_id,
    subject: `token:${revoked.token_id}`,
  });
  return revoked;
}
