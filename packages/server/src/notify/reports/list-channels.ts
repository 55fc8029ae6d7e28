import type {
  listWeeklyReportChannels as endpoint,
  WeeklyReportChannel,
} from '@culprit/contract/alerts/weekly-reports';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { listChannelRows } from './channels.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkChannelsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of a project's channels, newest first (docs/contract/notifications.md 4.1). */
export async function listChannels(
  { database, keys }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ channels: WeeklyReportChannel[]; next_cursor: string | null }> {
  const rows = await listChannelRows(database, keys.receiverAddresses, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.channel_id]);
  return { channels: shown, next_cursor: nextCursor };
}
