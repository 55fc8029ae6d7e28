import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/routes.tsx';

/** What the addresses of both pages may hold. */
const validateSearch = (search: Record<string, unknown>) => knownSearch(search, ['q', 'version', 'kind']);

const releasesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.releases,
  validateSearch,
  component: lazyRouteComponent(() => import('./releases-page.tsx'), 'ReleasesPage'),
});

const releaseRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.release,
  validateSearch,
  component: lazyRouteComponent(() => import('./release-page.tsx'), 'ReleasePage'),
});

export const releasesRoutes = [releasesRoute, releaseRoute] as const;
