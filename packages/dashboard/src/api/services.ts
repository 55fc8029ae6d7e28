import { getServiceActivity } from '@culprit/contract/incidents/service-activity';
import { listDeployments } from '@culprit/contract/releases/deployments';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

const DEPLOYMENTS_PAGE = 50;

/** Reads the activity of a project's services in the last 24 hours. */
export function serviceActivityQuery(projectId: string) {
  return queryOptions({
    queryKey: [getServiceActivity.id, projectId],
    queryFn: async ({ signal }) => await call(getServiceActivity, { params: { id: projectId }, signal }),
    ...freshness('services'),
  });
}

/** Reads the deployments, newest first. */
export function deploymentsQuery(projectId: string) {
  return infiniteQueryOptions({
    queryKey: [listDeployments.id, projectId],
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: DEPLOYMENTS_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return await call(listDeployments, { params: { id: projectId }, query, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...freshness('settings'),
  });
}
