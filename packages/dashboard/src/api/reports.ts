import { listWeeklyReportChannels } from '@culprit/contract/alerts/weekly-reports';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { call } from './transport.ts';

/** Reads the recipients of a project's weekly report, newest first. */
export function reportChannelsQuery(projectId: string) {
  return queryOptions({
    queryKey: [listWeeklyReportChannels.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (page) => call(listWeeklyReportChannels, { query: { project_id: projectId, ...page }, signal }),
        ({ channels }) => channels,
      ),
    ...freshness('settings'),
  });
}
