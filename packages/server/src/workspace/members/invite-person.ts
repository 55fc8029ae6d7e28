import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import type { invitePerson as endpoint, Invite } from '@culprit/contract/workspace/invites';
import type { Transaction } from '../../platform/db/database.ts';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { limitSentMail } from '../accounts/sent-mail-rate.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hasInvites } from '../billing/plan-limits.ts';
import { lockProject } from '../projects/projects.queries.ts';
import { createToken, tokenHash } from '../tokens/token.ts';
import { inviteMail } from './invite-mail.ts';
import { countCollaborators, findInviter, hasOpenInvite, insertInvite } from './invites.queries.ts';
import { isMemberAddress } from './members.queries.ts';
import { COLLABORATORS_MAX } from './people-limits.ts';

/** The lifetime of a link (docs/contract/account.md 5). */
const INVITE_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** The invited address in our form. @throws Problem `invalid_payload` */
export function checkInvitedAddress({ body }: { body: BodyOf<typeof endpoint> }): string {
  const email = normalizeEmail(body.email);
  if (email === null) throw invalidPayload('/email', 'is not an e-mail address');
  return email;
}

/**
 * Invites an address into a project and queues the mail with the link in the same transaction
 * (docs/contract/incidents.md 7.5). An instance that sends no mail takes invites too: an open one lets the person sign
 * up (docs/contract/account.md 1.7, 2.2).
 * @throws Problem `upgrade_required`, `email_verification_required`, `project_not_found` when it was deleted,
 * `member_already_exists`, `invite_already_exists`, `resource_limit_reached`, `rate_limited`
 */
export async function invitePerson(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, string>,
): Promise<Invite> {
  const { database, plans, keys, signIn, appUrl } = runtime;
  const { access, caller, body, checked: email } = request;
  const { projectId } = access;
  if (plans.isEnforced && !hasInvites(access.plan)) throw new Problem('upgrade_required');
  const inviter = await findInviter(database, caller.userId);
  if (inviter === null || !inviter.isVerified) throw new Problem('email_verification_required');
  const token = createToken('invite');
  const invite = await database.transaction(async (transaction) => {
    const { name } = await lockForInvite(transaction, projectId, email);
    await limitSentMail(transaction, runtime, { userId: caller.userId, to: email });
    const created = await insertInvite(transaction, {
      inviteId: newUuid(),
      projectId,
      email,
      role: body.role ?? 'member',
      tokenHash: tokenHash(token),
      invitedByUserId: caller.userId,
      lifetimeMs: INVITE_LIFETIME_MS,
    });
    const mail = inviteMail({
      host: signIn.host,
      link: `${appUrl}/invite?token=${token}`,
      invite: created,
      projectName: name,
      inviterEmail: inviter.email,
    });
    await queueMail(transaction, keys.queuedMail.reveal(), mail, { lifetimeMs: INVITE_LIFETIME_MS });
    return created;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'invite.created',
    actorUserId: caller.userId,
    subject: `invite:${invite.invite_id}`,
    data: { role: invite.role },
  });
  return invite;
}

/** Locks the project, so that its invites are judged and created one after the other, and judges this one. */
async function lockForInvite(
  transaction: Transaction,
  projectId: string,
  email: string,
): Promise<{ name: string }> {
  const project = await lockProject(transaction, projectId);
  if (project === null) throw new Problem('project_not_found');
  if (await isMemberAddress(transaction, projectId, email)) throw new Problem('member_already_exists');
  if (await hasOpenInvite(transaction, projectId, email)) throw new Problem('invite_already_exists');
  if ((await countCollaborators(transaction, projectId)) >= COLLABORATORS_MAX) {
    throw new Problem('resource_limit_reached');
  }
  return project;
}
