import { normalizeEmail } from '@culprit/contract/email-address';
import type { Invite } from '@culprit/contract/invites';
import type { CollaboratorRole } from '@culprit/contract/members';
import { recordAudit } from '../audit/record-audit.ts';
import { hasInvites } from '../billing/plan-limits.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import { queueMail } from '../platform/mail/queue-mail.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createToken, tokenHash } from '../tokens/token.ts';
import { inviteMail } from './invite-mail.ts';
import { countCollaborators, findInviter, hasOpenInvite, insertInvite } from './invites.queries.ts';
import { isMemberAddress } from './members.queries.ts';
import type { PeopleRoom } from './people-room.ts';
import { lockProject } from './projects.queries.ts';
import { requireProject } from './require-project.ts';

/** How long a link may be used (account.md 5). */
const INVITE_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** The guard of a deployment: collaborators of one project, those invited included (incidents.md 7.5). */
const COLLABORATORS_MAX = 500;

/**
 * Invites an address into a project and queues the mail with the link in the same transaction (incidents.md 7.5). An
 * instance that sends no mail takes invites too: an open one lets the person sign up (account.md 1.7, 2.2).
 * @throws Problem `invalid_payload` for the address, `upgrade_required`, `email_verification_required`,
 * `member_already_exists`, `invite_already_exists`, `resource_limit_reached`, and those of `requireProject`
 */
export async function invitePerson(
  room: PeopleRoom,
  member: Member,
  id: string,
  body: { email: string; role?: CollaboratorRole },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<Invite> {
  const { database, plans } = room;
  const email = normalizeEmail(body.email);
  if (email === null) throw new Problem('invalid_payload');
  const access = await requireProject(database, plans, member.userId, id, 'admin');
  const { projectId, organizationId } = access;
  if (plans.isEnforced && !hasInvites(access.plan)) throw new Problem('upgrade_required');
  const inviter = await findInviter(database, member.userId);
  if (inviter === null || !inviter.isVerified) throw new Problem('email_verification_required');
  const token = createToken('invite');
  const invite = await database.transaction(async (transaction) => {
    const { name } = await holdProject(transaction, projectId, email);
    const made = await insertInvite(transaction, {
      inviteId: newUuid(),
      projectId,
      email,
      role: body.role ?? 'member',
      tokenHash: tokenHash(token),
      invitedByUserId: member.userId,
      lifetimeMs: INVITE_LIFETIME_MS,
    });
    const mail = inviteMail({
      host: room.settings.host,
      link: `${room.appUrl}/invite?token=${token}`,
      invite: made,
      projectName: name,
      inviterEmail: inviter.email,
    });
    await queueMail(transaction, room.mailKey, mail, { lifetimeMs: INVITE_LIFETIME_MS });
    return made;
  });
  await recordAudit(database, request, {
    action: 'invite.created',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `invite:${invite.invite_id}`,
    data: { role: invite.role },
  });
  return invite;
}

/** Holds the project, so that invites are judged and made one after the other, and judges this one. */
async function holdProject(
  transaction: Queryable,
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
