import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const settingsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.settings,
  validateSearch: (search) => knownSearch(search, ['new']),
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
});

export const settingsRoutes = [settingsRoute] as const;
