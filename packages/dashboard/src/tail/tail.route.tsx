import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const tailRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.tail,
  validateSearch: (search) => knownSearch(search, ['type', 'level', 'service', 'environment', 'q']),
  component: lazyRouteComponent(() => import('./tail-page.tsx'), 'TailPage'),
});

export const tailRoutes = [tailRoute] as const;
