import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const projectSettingsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.projectSettings,
  component: lazyRouteComponent(() => import('./project-settings-page.tsx'), 'ProjectSettingsPage'),
});

export const projectRoutes = [projectSettingsRoute] as const;
