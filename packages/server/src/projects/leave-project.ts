import type { ProjectMember } from '@culprit/contract/members';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { endMembership } from './end-membership.ts';
import { requireProject } from './require-project.ts';

/**
 * Ends the caller's own place in a project of somebody else (incidents.md 7.5).
 * @returns the collaborator as they were
 * @throws Problem `owner_removal_not_allowed`, and those of `requireProject`
 */
export async function leaveProject(
  { database, plans }: { database: Database; plans: PlanSettings },
  member: Member,
  projectId: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<ProjectMember> {
  const access = await requireProject(database, plans, member.userId, projectId);
  try {
    return await endMembership(database, member, access, member.userId, request);
  } catch (error) {
    // Somebody else ended it in between; then the project is one they cannot see.
    if (error instanceof Problem && error.code === 'member_not_found') throw new Problem('project_not_found');
    throw error;
  }
}
