import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const probesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.probes,
  validateSearch: (search) => knownSearch(search, ['new']),
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { probesQuery } = await import('./probes-query.ts');
    void queryClient.prefetchQuery(probesQuery(pid));
  },
  component: lazyRouteComponent(() => import('./probes-page.tsx'), 'ProbesPage'),
});

export const probesRoutes = [probesRoute] as const;
