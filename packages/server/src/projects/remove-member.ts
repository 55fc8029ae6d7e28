import type { ProjectMember } from '@culprit/contract/members';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { endMembership } from './end-membership.ts';
import { missingMember } from './members.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * Removes a collaborator; admins may remove each other and themselves (incidents.md 7.5).
 * @returns the collaborator as they were
 * @throws Problem `member_not_found`, `owner_removal_not_allowed`, and those of `requireProject`
 */
export async function removeMember(
  { database, plans }: { database: Database; plans: PlanSettings },
  member: Member,
  ids: { id: string; userId: string },
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<ProjectMember> {
  const userId = parseId([], ids.userId);
  const access = await requireProject(database, plans, member.userId, ids.id, 'admin', (id) =>
    missingMember(database, id, userId),
  );
  if (userId === null) throw new Problem('member_not_found');
  return await endMembership(database, member, access, userId, request);
}
