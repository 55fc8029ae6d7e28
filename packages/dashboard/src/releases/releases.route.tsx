import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const releasesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.releases,
  validateSearch: (search) => knownSearch(search, ['q', 'version']),
  component: lazyRouteComponent(() => import('./releases-page.tsx'), 'ReleasesPage'),
});

const releaseRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.release,
  component: lazyRouteComponent(() => import('./release-page.tsx'), 'ReleasePage'),
});

export const releasesRoutes = [releasesRoute, releaseRoute] as const;
