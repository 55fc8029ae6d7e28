import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const checksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.checks,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { checkDaysQuery, checksQuery } = await import('../api/checks.ts');
    void queryClient.prefetchQuery(checksQuery(pid));
    void queryClient.prefetchQuery(checkDaysQuery(pid));
  },
  component: lazyRouteComponent(() => import('./checks-page.tsx'), 'ChecksPage'),
});

const checkRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.check,
  component: lazyRouteComponent(() => import('./check-page.tsx'), 'CheckPage'),
});

const newCheckRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.newCheck,
  component: lazyRouteComponent(() => import('./check-editor-page.tsx'), 'NewCheckPage'),
});

const editCheckRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.editCheck,
  component: lazyRouteComponent(() => import('./check-editor-page.tsx'), 'EditCheckPage'),
});

const heartbeatsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.heartbeats,
  component: lazyRouteComponent(() => import('./heartbeats-page.tsx'), 'HeartbeatsPage'),
});

const heartbeatRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.heartbeat,
  component: lazyRouteComponent(() => import('./heartbeat-page.tsx'), 'HeartbeatPage'),
});

const newHeartbeatRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.newHeartbeat,
  component: lazyRouteComponent(() => import('./heartbeat-editor-page.tsx'), 'NewHeartbeatPage'),
});

const editHeartbeatRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.editHeartbeat,
  component: lazyRouteComponent(() => import('./heartbeat-editor-page.tsx'), 'EditHeartbeatPage'),
});

export const checksRoutes = [
  checksRoute,
  newCheckRoute,
  checkRoute,
  editCheckRoute,
  heartbeatsRoute,
  newHeartbeatRoute,
  heartbeatRoute,
  editHeartbeatRoute,
] as const;
