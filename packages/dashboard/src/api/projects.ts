import { listServices } from '@culprit/contract/incidents/services';
import { getProject, listProjects } from '@culprit/contract/workspace/projects';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { readAllPages } from './pages.ts';
import { queryClient } from './query-client.ts';
import { call } from './transport.ts';

/** Every project that the person sees, newest first. */
export const projectsQuery = queryOptions({
  queryKey: [listProjects.id],
  queryFn: ({ signal }) =>
    readAllPages(
      (query) => call(listProjects, { query, signal }),
      ({ projects }) => projects,
    ),
  ...freshness('projects'),
});

/** One project. The list of all has the same record, which is shown while this one is read. */
export function projectQuery(id: string) {
  return queryOptions({
    queryKey: [getProject.id, id],
    queryFn: async ({ signal }) => (await call(getProject, { params: { id }, signal })).project,
    placeholderData: () =>
      queryClient.getQueryData(projectsQuery.queryKey)?.find((each) => each.project_id === id),
    ...freshness('projects'),
  });
}

/** All services of a project, or of every project that the person sees. */
export function servicesQuery(projectId: string | null) {
  return queryOptions({
    queryKey: [listServices.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (page) => {
          const query = projectId === null ? page : { ...page, project_id: projectId };
          return call(listServices, { query, signal });
        },
        ({ services }) => services,
      ),
    ...freshness('settings'),
  });
}
