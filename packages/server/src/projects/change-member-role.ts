import type { CollaboratorRole, ProjectMember } from '@culprit/contract/members';
import { recordAudit } from '../audit/record-audit.ts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { lockMember, missingMember, updateMemberRole } from './members.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * Gives a collaborator another role; admins may do that to each other and to themselves (incidents.md 7.5). The same
 * role again changes nothing.
 * @throws Problem `member_not_found`, `owner_role_change_not_allowed`, and those of `requireProject`
 */
export async function changeMemberRole(
  { database, plans }: { database: Database; plans: PlanSettings },
  member: Member,
  ids: { id: string; userId: string },
  role: CollaboratorRole,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<ProjectMember> {
  const userId = parseId([], ids.userId);
  const access = await requireProject(database, plans, member.userId, ids.id, 'admin', (id) =>
    missingMember(database, id, userId),
  );
  const { projectId, organizationId } = access;
  if (userId === null) throw new Problem('member_not_found');
  const before = await database.transaction(async (transaction) => {
    const held = await lockMember(transaction, projectId, userId);
    if (held === null) throw new Problem('member_not_found');
    if (held.role === 'owner') throw new Problem('owner_role_change_not_allowed');
    if (held.role !== role) await updateMemberRole(transaction, projectId, userId, role);
    return held;
  });
  if (before.role !== role) {
    await recordAudit(database, request, {
      action: 'member.role_changed',
      actorUserId: member.userId,
      organizationId,
      projectId,
      subject: `user:${userId}`,
      data: { from: before.role, to: role },
    });
  }
  return { ...before, role };
}
