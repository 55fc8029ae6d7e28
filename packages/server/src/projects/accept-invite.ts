import { timingSafeEqual } from 'node:crypto';
import type { Membership } from '@culprit/contract/invites';
import type { SessionCaller } from '../accounts/authenticate-session.ts';
import { takeSignInTurn } from '../accounts/sign-in-rate.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { planOverride } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { prefixedId } from '../platform/ids.ts';
import { isTokenShaped, tokenHash } from '../tokens/token.ts';
import { consumeInvite, findOfferedInvite, type OfferedInvite } from './invites.queries.ts';
import { insertCollaborator } from './members.queries.ts';
import type { PeopleRoom } from './people-room.ts';
import { isSharedAccessSuspended } from './require-project.ts';

/**
 * Gives a signed-in person the place that an invite offers to their address (account.md 5). One conditional update uses
 * the invite up, so of several calls with one token one succeeds. An invite into a project the person is in already is
 * used up, too.
 * @throws Problem `rate_limited`, `invalid_token` (unknown, expired, used, canceled, nothing to give),
 * `invite_email_mismatch` and, while the plan is below Team, `shared_access_suspended`: both leave the invite open
 */
export async function acceptInvite(
  { database, plans, settings }: PeopleRoom,
  caller: SessionCaller,
  token: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Membership> {
  const { userId, email } = caller;
  await takeSignInTurn(database, settings, 'sign_in', request.clientAddress);
  if (!isTokenShaped('invite', token)) throw new Problem('invalid_token');
  const hash = tokenHash(token);
  const accepted = await database.transaction(async (transaction) => {
    const invite = await findOfferedInvite(transaction, hash, userId);
    if (invite === null || !timingSafeEqual(invite.tokenHash, hash)) throw new Problem('invalid_token');
    if (invite.email !== email.toLowerCase()) throw new Problem('invite_email_mismatch');
    const place = { role: invite.role, plan: planOverride(plans) ?? invite.plan };
    if (!invite.isMember && isSharedAccessSuspended(plans, place)) {
      throw new Problem('shared_access_suspended');
    }
    return (await givePlace(transaction, invite, userId)) ? invite : null;
  });
  if (accepted === null) throw new Problem('invalid_token');
  await recordAudit(database, request, {
    action: 'invite.accepted',
    actorUserId: userId,
    organizationId: accepted.organizationId,
    projectId: accepted.projectId,
    subject: `invite:${accepted.inviteId}`,
    data: { role: accepted.role },
  });
  return {
    project_id: prefixedId('proj', accepted.projectId),
    user_id: userId,
    role: accepted.role,
    membership_type: 'collaborator',
  };
}

/** Uses the invite up; false when that gave nothing: it was used up before, or the person is in the project. */
async function givePlace(transaction: Queryable, invite: OfferedInvite, userId: string): Promise<boolean> {
  if (!(await consumeInvite(transaction, invite.inviteId))) return false;
  return await insertCollaborator(transaction, invite.projectId, userId, invite.role);
}
