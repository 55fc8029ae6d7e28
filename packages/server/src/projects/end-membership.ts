import type { ProjectMember } from '@culprit/contract/members';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { deleteMailRules } from './mail-rules.queries.ts';
import { deleteMember, lockMember } from './members.queries.ts';
import { removeReportRecipient } from './report-recipients.queries.ts';
import type { ProjectAccess } from './require-project.ts';

/**
 * Ends a collaborator's place in a project. Access ends with it at once, since every request looks the place up; their
 * sessions and tokens go on working elsewhere (incidents.md 7.5).
 * @param member who ends it
 * @param userId whose place ends; bare UUID
 * @returns the collaborator as they were
 * @throws Problem `member_not_found`, `owner_removal_not_allowed`
 */
export async function endMembership(
  database: Database,
  member: Member,
  { projectId, organizationId }: Pick<ProjectAccess, 'projectId' | 'organizationId'>,
  userId: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<ProjectMember> {
  const ended = await database.transaction(async (transaction) => {
    const held = await lockMember(transaction, projectId, userId);
    if (held === null) throw new Problem('member_not_found');
    if (held.role === 'owner') throw new Problem('owner_removal_not_allowed');
    await removeReportRecipient(transaction, userId, projectId);
    await deleteMailRules(transaction, { userId, email: held.email }, projectId);
    await deleteMember(transaction, projectId, userId);
    return held;
  });
  await recordAudit(database, request, {
    action: member.userId === userId ? 'member.left' : 'member.removed',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `user:${userId}`,
    data: { role: ended.role },
  });
  return ended;
}
