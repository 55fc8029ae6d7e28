import type { QueryOf } from '@culprit/contract/endpoint';
import type {
  listWeeklyReportChannels as endpoint,
  WeeklyReportChannel,
} from '@culprit/contract/weekly-reports';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listChannelRows } from './channels.queries.ts';
import type { ReportsRoom } from './reports.routes.ts';

/**
 * A page of a project's channels, newest first (notifications.md 4.1).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended`
 */
export async function listChannels(
  { database, plans }: ReportsRoom,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ channels: WeeklyReportChannel[]; next_cursor: string | null }> {
  const page = readPage([], query);
  const { projectId } = await requireProject(database, plans, member.userId, query.project_id);
  const rows = await listChannelRows(database, projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.channel_id]);
  return { channels: shown, next_cursor: nextCursor };
}
