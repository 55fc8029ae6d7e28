import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const improvementsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.improvements,
  component: lazyRouteComponent(() => import('./improvements-page.tsx'), 'ImprovementsPage'),
});

const improvementRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.improvement,
  component: lazyRouteComponent(() => import('./improvement-page.tsx'), 'ImprovementPage'),
});

export const improvementsRoutes = [improvementsRoute, improvementRoute] as const;
