import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const overviewRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.project,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const [{ checkDaysQuery, checksQuery }, { serviceActivityQuery }] = await Promise.all([
      import('../api/checks.ts'),
      import('../api/services.ts'),
    ]);
    void queryClient.prefetchQuery(serviceActivityQuery(pid));
    void queryClient.prefetchQuery(checksQuery(pid));
    void queryClient.prefetchQuery(checkDaysQuery(pid));
  },
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
});

export const overviewRoutes = [overviewRoute] as const;
