import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readListSearch } from '../api/list-search.ts';
import { lastProject } from '../api/session.ts';
import { knownSearch, PATTERNS, pathTo } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const homeRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.home,
  beforeLoad: async ({ context: { queryClient } }) => {
    const { projectsQuery } = await import('../api/projects.ts');
    const projects = await queryClient.ensureQueryData(projectsQuery);
    const last = projects.find(({ project_id: id }) => id === lastProject()) ?? projects[0];
    const to = last === undefined ? pathTo('welcome') : pathTo('incidents', { pid: last.project_id });
    throw redirect({ href: to, replace: true });
  },
});

/** The list, and what is looked at beside it. */
function readPageSearch(search: Record<string, unknown>) {
  return { ...readListSearch(search), ...knownSearch(search, ['peek']) };
}

const page = lazyRouteComponent(() => import('./incidents-page.tsx'), 'IncidentsPage');

const allIncidentsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.allIncidents,
  validateSearch: readPageSearch,
  loaderDeps: ({ search }) => readListSearch(search),
  loader: async ({ context: { queryClient }, deps }) => {
    const { listOf } = await import('../api/incident-list.ts');
    void queryClient.prefetchInfiniteQuery(listOf(deps, null));
  },
  component: page,
});

const incidentsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.incidents,
  validateSearch: readPageSearch,
  loaderDeps: ({ search }) => readListSearch(search),
  loader: async ({ context: { queryClient }, deps, params }) => {
    const { listOf } = await import('../api/incident-list.ts');
    void queryClient.prefetchInfiniteQuery(listOf(deps, params.pid));
  },
  component: page,
});

export const incidentsRoutes = [homeRoute, allIncidentsRoute, incidentsRoute] as const;
