import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const organizationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.organization,
  component: lazyRouteComponent(() => import('./organization-page.tsx'), 'OrganizationPage'),
});

export const organizationRoutes = [organizationRoute] as const;
