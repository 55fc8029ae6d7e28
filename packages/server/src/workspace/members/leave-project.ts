import type { leaveProject as endpoint, ProjectMember } from '@culprit/contract/workspace/members';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { endMembership } from './end-membership.ts';

/**
 * Ends the caller's own membership in another person's project (docs/contract/incidents.md 7.5).
 * @returns the collaborator before the change
 * @throws Problem `owner_removal_not_allowed`, `project_not_found` when another request ended the membership first
 */
export async function leaveProject(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<ProjectMember> {
  try {
    return await endMembership(database, request, request.caller.userId);
  } catch (error) {
    // If another request ended the membership in between, the caller cannot see the project.
    if (error instanceof Problem && error.code === 'member_not_found') throw new Problem('project_not_found');
    throw error;
  }
}
