import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const groupingRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.grouping,
  component: lazyRouteComponent(() => import('./grouping-page.tsx'), 'GroupingPage'),
});

export const groupingRoutes = [groupingRoute] as const;
