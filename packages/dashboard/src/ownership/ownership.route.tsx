import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const ownershipRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.ownership,
  component: lazyRouteComponent(() => import('./ownership-page.tsx'), 'OwnershipPage'),
});

export const ownershipRoutes = [ownershipRoute] as const;
