import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const reportsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.reports,
  validateSearch: (search) => knownSearch(search, ['edit']),
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { reportChannelsQuery } = await import('../api/reports.ts');
    void queryClient.prefetchQuery(reportChannelsQuery(pid));
  },
  component: lazyRouteComponent(() => import('./reports-page.tsx'), 'ReportsPage'),
});

export const reportsRoutes = [reportsRoute] as const;
