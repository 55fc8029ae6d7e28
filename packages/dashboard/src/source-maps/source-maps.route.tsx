import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const sourceMapsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.sourceMaps,
  validateSearch: (search) => knownSearch(search, ['tab', 'upload', 'frame', 'release', 'debug_id']),
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { mapUploadsQuery } = await import('./source-maps-queries.ts');
    void queryClient.prefetchInfiniteQuery(mapUploadsQuery(pid));
  },
  component: lazyRouteComponent(() => import('./source-maps-page.tsx'), 'SourceMapsPage'),
});

export const sourceMapsRoutes = [sourceMapsRoute] as const;
