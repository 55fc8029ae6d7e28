import {
  type CreatedMemberToken,
  type rotateMemberToken as endpoint,
  type MemberToken,
  ROTATION_OVERLAP_HOURS,
} from '@culprit/contract/workspace/tokens';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { createMemberToken } from '../tokens/create-member-token.ts';
import { findMemberToken, lockTokenOwner, revokeLiveMemberToken } from '../tokens/member-tokens.queries.ts';
import { seenBy } from '../tokens/token-records.ts';
import { planTokenEnd } from '../tokens/tokens.jobs.ts';
import { organizationOfPerson } from './organization-of-person.ts';

/**
 * Creates a token with the label and access of another token of the member, which can be that of the request. The old
 * one ends immediately or after the overlap (docs/contract/account.md 4.4).
 * @throws Problem `token_not_found` if the id is not that of a live token of the member, and as `createMemberToken`
 */
export async function rotateMemberToken(
  { database, plans }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<{ token: CreatedMemberToken; replaced: MemberToken }> {
  const { userId } = request.caller;
  const { overlap_hours: hours = ROTATION_OVERLAP_HOURS } = request.body;
  const tokenId = parseId(['tok'], request.params.tokenId);
  if (tokenId === null) throw new Problem('token_not_found');
  const rotated = await database.transaction(async (transaction) => {
    // The owner is locked as in the creation, and before the old token is read, so two rotations run one after the
    // other.
    await lockTokenOwner(transaction, userId);
    const old = await findMemberToken(transaction, userId, tokenId);
    if (old === null || old.revoked_at !== null) throw new Problem('token_not_found');
    const replaced = await endMemberToken(transaction, userId, tokenId, hours);
    const { record, plaintext } = await createMemberToken(transaction, {
      userId,
      organizationId: await organizationOfPerson(transaction, plans, userId),
      label: old.label,
      access: old.access,
    });
    return { token: { ...record, plaintext }, replaced: seenBy(request.caller, replaced) };
  });
  await recordAudit(database, request, {
    action: 'member_token.rotated',
    actorUserId: userId,
    organizationId: rotated.token.organization_id,
    subject: `token:${rotated.token.token_id}`,
    data: { replaced: rotated.replaced.token_id, overlap_hours: hours },
  });
  return rotated;
}

/** Its record with the end that it has got. */
async function endMemberToken(
  transaction: Transaction,
  userId: string,
  tokenId: string,
  hours: number,
): Promise<MemberToken> {
  if (hours > 0) planTokenEnd(transaction, { tokenId, ownerId: userId, hours });
  const ended = await (hours > 0 ? findMemberToken : revokeLiveMemberToken)(transaction, userId, tokenId);
  if (ended === null) throw new Problem('token_not_found');
  return ended;
}
