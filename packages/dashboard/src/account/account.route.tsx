import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { knownSearch, PATTERNS, returnTarget } from '../paths.ts';
import { rootRoute } from '../shell/frame/routes.tsx';

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: PATTERNS.login,
  validateSearch: (search) => knownSearch(search, ['return_to', 'error']),
  beforeLoad: async ({ context: { queryClient }, search }) => {
    const session = await queryClient.ensureQueryData(sessionQuery).catch(() => null);
    if (session !== null) throw redirect({ href: returnTarget(search.return_to), replace: true });
  },
  component: lazyRouteComponent(() => import('./login-page.tsx'), 'LoginPage'),
});

const unsubscribeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: PATTERNS.unsubscribe,
  validateSearch: (search) => knownSearch(search, ['token']),
  component: lazyRouteComponent(() => import('./unsubscribe-page.tsx'), 'UnsubscribePage'),
});

export const accountRoutes = [loginRoute, unsubscribeRoute] as const;
