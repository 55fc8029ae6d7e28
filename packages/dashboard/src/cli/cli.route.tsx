import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const cliRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.cli,
  validateSearch: (search) => knownSearch(search, ['code']),
  component: lazyRouteComponent(() => import('./cli-page.tsx'), 'CliPage'),
});

export const cliRoutes = [cliRoute] as const;
