import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const servicesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.services,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const [{ servicesQuery }, { deploymentsQuery, serviceActivityQuery }] = await Promise.all([
      import('../api/projects.ts'),
      import('../api/services.ts'),
    ]);
    void queryClient.prefetchQuery(servicesQuery(pid));
    void queryClient.prefetchQuery(serviceActivityQuery(pid));
    void queryClient.prefetchInfiniteQuery(deploymentsQuery(pid));
  },
  component: lazyRouteComponent(() => import('./services-page.tsx'), 'ServicesPage'),
});

export const servicesRoutes = [servicesRoute] as const;
