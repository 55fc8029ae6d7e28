import { timingSafeEqual } from 'node:crypto';
import type { acceptInvite as endpoint, Membership } from '@culprit/contract/workspace/invites';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { isSharedAccessSuspended } from '../access/project-access.ts';
import { limitSignInRequests } from '../accounts/sign-in-rate.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { planOverride } from '../billing/plan.ts';
import { isTokenShaped, tokenHash } from '../tokens/token.ts';
import { keepManualRole } from './groups/group-memberships.queries.ts';
import { consumeInvite, findOfferedInvite, type OfferedInvite } from './invites.queries.ts';
import { insertCollaborator } from './members.queries.ts';

/**
 * Makes a signed-in person a member of the project into which an invite asks their address (docs/contract/account.md
 * 5). One conditional update uses the invite up, so of several calls with one token one succeeds. An invite into a
 * project the person is in already is used up, too.
 * @throws Problem `rate_limited`, `invalid_token` (unknown, expired, used, canceled, nothing to give),
 * `invite_email_mismatch` and, while the plan is below Team, `shared_access_suspended`: both leave the invite open
 */
export async function acceptInvite(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<Membership> {
  const { database, plans } = runtime;
  const { userId, email } = request.caller;
  const { token } = request.body;
  await limitSignInRequests(runtime, 'sign_in', request.clientAddress);
  if (!isTokenShaped('invite', token)) throw new Problem('invalid_token');
  const hash = tokenHash(token);
  const accepted = await database.transaction(async (transaction) => {
    const invite = await findOfferedInvite(transaction, hash, userId);
    if (invite === null || !timingSafeEqual(invite.tokenHash, hash)) throw new Problem('invalid_token');
    if (invite.email !== email.toLowerCase()) throw new Problem('invite_email_mismatch');
    const membership = { role: invite.role, plan: planOverride(plans) ?? invite.plan };
    if (!invite.isMember && isSharedAccessSuspended(plans, membership)) {
      throw new Problem('shared_access_suspended');
    }
    return (await addMember(transaction, invite, userId)) ? invite : null;
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
async function addMember(transaction: Transaction, invite: OfferedInvite, userId: string): Promise<boolean> {
  if (!(await consumeInvite(transaction, invite.inviteId))) return false;
  const isAdded = await insertCollaborator(transaction, invite.projectId, userId, invite.role);
  // A person whom groups let in is now invited too, and stays when the groups give nothing more.
  if (!isAdded) await keepManualRole(transaction, invite.projectId, userId, invite.role);
  return isAdded;
}
