import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const alertsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.alerts,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const [{ alertsQuery }, { servicesQuery }, { slackDestinationsQuery }] = await Promise.all([
      import('../api/alerts.ts'),
      import('../api/projects.ts'),
      import('../api/slack.ts'),
    ]);
    void queryClient.prefetchQuery(alertsQuery(pid));
    void queryClient.prefetchQuery(servicesQuery(pid));
    void queryClient.prefetchQuery(slackDestinationsQuery(pid));
  },
  component: lazyRouteComponent(() => import('./alerts-page.tsx'), 'AlertsPage'),
});

const newAlertRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.newAlert,
  component: lazyRouteComponent(() => import('./alert-page.tsx'), 'NewAlertPage'),
});

const alertRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.alert,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { alertsQuery } = await import('../api/alerts.ts');
    void queryClient.prefetchQuery(alertsQuery(pid));
  },
  component: lazyRouteComponent(() => import('./alert-page.tsx'), 'AlertPage'),
});

export const alertsRoutes = [alertsRoute, newAlertRoute, alertRoute] as const;
