import { listAlerts } from '@culprit/contract/alerts/alerts';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { call } from './transport.ts';

/** Every alert rule of a project, newest first. */
export function alertsQuery(projectId: string) {
  return queryOptions({
    queryKey: [listAlerts.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (page) => call(listAlerts, { query: { project_id: projectId, ...page }, signal }),
        ({ alerts }) => alerts,
      ),
    ...freshness('settings'),
  });
}
