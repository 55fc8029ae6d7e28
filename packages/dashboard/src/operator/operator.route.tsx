import { createRoute, lazyRouteComponent, notFound, rootRouteId } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const operatorRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.operator,
  // For anybody else there is no such page, as there is no such endpoint.
  beforeLoad({ context: { session } }) {
    if (!session.is_operator) throw notFound({ routeId: rootRouteId });
  },
  component: lazyRouteComponent(() => import('./operator-page.tsx'), 'OperatorPage'),
});

export const operatorRoutes = [operatorRoute] as const;
