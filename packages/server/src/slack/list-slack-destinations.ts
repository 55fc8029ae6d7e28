import type { QueryOf } from '@culprit/contract/endpoint';
import type { listSlackDestinations as endpoint, SlackDestination } from '@culprit/contract/slack';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listDestinationRows } from './slack-destinations.queries.ts';
import type { SlackRoom } from './slack-room.ts';

/**
 * A page of the destinations of a project's organization, newest first (notifications.md 2.1): on every plan, and
 * without a Slack application too.
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended`
 */
export async function listSlackDestinations(
  { database, plans }: SlackRoom,
  member: Member,
  projectId: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ destinations: SlackDestination[]; next_cursor: string | null }> {
  const page = readPage([], query);
  const { organizationId } = await requireProject(database, plans, member.userId, projectId);
  const rows = await listDestinationRows(database, organizationId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.slack_destination_id]);
  return { destinations: shown, next_cursor: nextCursor };
}
