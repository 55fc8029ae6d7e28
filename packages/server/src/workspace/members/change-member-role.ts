import type { changeMemberRole as endpoint, ProjectMember } from '@culprit/contract/workspace/members';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { keepManualRole } from './groups/group-memberships.queries.ts';
import { cancelInvitesOf } from './invites.queries.ts';
import { lockMember, updateMemberRole } from './members.queries.ts';

/**
 * Gives a collaborator another role; admins may do that to each other and to themselves (docs/contract/incidents.md
 * 7.5). The same role again changes nothing. If the person can no longer invite, their invites end.
 * @throws Problem `owner_role_change_not_allowed`, `member_not_found` when the membership ended in the meantime
 */
export async function changeMemberRole(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<ProjectMember> {
  const { access, caller, body } = request;
  const { projectId, recordId: userId } = access;
  const { role } = body;
  const { before, canceledInvites } = await database.transaction(async (transaction) => {
    const before = await lockMember(transaction, projectId, userId);
    if (before === null) throw new Problem('member_not_found');
    if (before.role === 'owner') throw new Problem('owner_role_change_not_allowed');
    // First the invites: as long as the sender may invite, they count as open.
    const canceledInvites = role === 'admin' ? 0 : await cancelInvitesOf(transaction, projectId, userId);
    if (before.role !== role) await updateMemberRole(transaction, projectId, userId, role);
    await keepManualRole(transaction, projectId, userId, role);
    return { before, canceledInvites };
  });
  if (before.role !== role) {
    await recordAudit(database, request, {
      ...access,
      action: 'member.role_changed',
      actorUserId: caller.userId,
      subject: `user:${userId}`,
      data: {
        from: before.role,
        to: role,
        ...(canceledInvites > 0 ? { canceled_invites: canceledInvites } : {}),
      },
    });
  }
  return { ...before, role };
}
