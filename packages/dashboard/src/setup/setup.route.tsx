import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const welcomeRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.welcome,
  component: lazyRouteComponent(() => import('./welcome-page.tsx'), 'WelcomePage'),
});

const setupRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.setup,
  validateSearch: (search) => knownSearch(search, ['from']),
  component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
});

export const setupRoutes = [welcomeRoute, setupRoute] as const;
