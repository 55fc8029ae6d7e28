import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const trackersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.trackers,
  validateSearch: (search) => knownSearch(search, ['new']),
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { trackersQuery } = await import('../api/trackers.ts');
    void queryClient.prefetchQuery(trackersQuery(pid));
  },
  component: lazyRouteComponent(() => import('./trackers-page.tsx'), 'TrackersPage'),
});

export const trackerRoutes = [trackersRoute] as const;
