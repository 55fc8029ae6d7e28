import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import { type ProjectAccess, requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { isDestinationOfProject } from './slack-destinations.queries.ts';
import type { SlackRoom } from './slack-room.ts';

/** A destination as a path names it. */
export interface DestinationIds {
  projectId: string;
  destinationId: string;
}

/**
 * The project through which a member changes a destination of its organization: they need to be admin or owner there
 * (notifications.md 2.1). Whether the destination exists is left to the operation, but for callers of a lower role.
 * @throws Problem `slack_destination_not_found`, also for a project they do not see, `forbidden`,
 * `shared_access_suspended`
 */
export async function requireDestinationProject(
  { database, plans }: Pick<SlackRoom, 'database' | 'plans'>,
  member: Member,
  { projectId, destinationId }: DestinationIds,
): Promise<ProjectAccess> {
  const id = parseId([], destinationId);
  const findMissing = async (project: string) => {
    const isThere = id !== null && (await isDestinationOfProject(database, project, id));
    return isThere ? null : 'slack_destination_not_found';
  };
  try {
    return await requireProject(database, plans, member.userId, projectId, 'admin', findMissing);
  } catch (error) {
    const isUnseen = error instanceof Problem && error.code === 'project_not_found';
    throw isUnseen ? new Problem('slack_destination_not_found') : error;
  }
}
