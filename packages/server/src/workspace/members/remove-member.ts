import type { removeMember as endpoint, ProjectMember } from '@culprit/contract/workspace/members';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { endMembership } from './end-membership.ts';

/**
 * Removes a collaborator; admins may remove each other and themselves (docs/contract/incidents.md 7.5).
 * @returns the collaborator before the change
 * @throws Problem `owner_removal_not_allowed`, `member_not_found` when another request removed them first
 */
export async function removeMember(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<ProjectMember> {
  return await endMembership(database, request, request.access.recordId);
}
