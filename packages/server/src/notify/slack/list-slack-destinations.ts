import type { listSlackDestinations as endpoint, SlackDestination } from '@culprit/contract/alerts/slack';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { listDestinationRows } from './slack-destinations.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkDestinationsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/**
 * A page of the destinations of a project's organization, newest first (docs/contract/notifications.md 2.1): on every
 * plan, and without a Slack application too.
 */
export async function listSlackDestinations(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ destinations: SlackDestination[]; next_cursor: string | null }> {
  const rows = await listDestinationRows(database, access.organizationId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.slack_destination_id]);
  return { destinations: shown, next_cursor: nextCursor };
}
