import type { leaveProject, ProjectMember } from '@culprit/contract/workspace/members';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { deleteReportRecipient } from '../projects/report-recipients.queries.ts';
import { cancelInvitesOf } from './invites.queries.ts';
import { deleteMailRules } from './mail-rules.queries.ts';
import { queueUnassign } from './members.jobs.ts';
import { deleteMember, lockMember } from './members.queries.ts';

/**
 * Ends the membership of a collaborator. Access ends with it immediately, since every request looks it up; their
 * sessions and tokens still work elsewhere, and invites that they sent end (docs/contract/incidents.md 7.5).
 * @param userId whose membership ends; bare UUID
 * @returns the collaborator before the change
 * @throws Problem `member_not_found`, `owner_removal_not_allowed`
 */
export async function endMembership(
  database: Database,
  request: Pick<ApiRequest<typeof leaveProject>, 'access' | 'caller' | 'log' | 'clientAddress'>,
  userId: string,
): Promise<ProjectMember> {
  const { access, caller } = request;
  const { projectId } = access;
  const { before, canceledInvites } = await database.transaction(async (transaction) => {
    const before = await lockMember(transaction, projectId, userId);
    if (before === null) throw new Problem('member_not_found');
    if (before.role === 'owner') throw new Problem('owner_removal_not_allowed');
    return { before, canceledInvites: await removeCollaborator(transaction, { projectId, ...before }) };
  });
  await recordAudit(database, request, {
    ...access,
    action: caller.userId === userId ? 'member.left' : 'member.removed',
    actorUserId: caller.userId,
    subject: `user:${userId}`,
    data: { role: before.role, ...(canceledInvites > 0 ? { canceled_invites: canceledInvites } : {}) },
  });
  return before;
}

/**
 * Removes a collaborator, locked by `lockMember`, with what they have in the project as a member.
 * @returns the number of invites of theirs that end
 */
export async function removeCollaborator(
  transaction: Transaction,
  member: { projectId: string; user_id: string; email: string },
): Promise<number> {
  const { projectId, user_id: userId, email } = member;
  await deleteReportRecipient(transaction, userId, projectId);
  await deleteMailRules(transaction, { userId, email }, projectId);
  const canceledInvites = await cancelInvitesOf(transaction, projectId, userId);
  queueUnassign(transaction, userId, projectId);
  await deleteMember(transaction, projectId, userId);
  return canceledInvites;
}
