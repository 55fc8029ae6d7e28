import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { knownSearch, PATTERNS } from '../paths.ts';
import { rootRoute } from '../shell/frame/routes.tsx';

const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: PATTERNS.invite,
  validateSearch: (search) => knownSearch(search, ['token']),
  beforeLoad: async ({ context: { queryClient }, search: { token } }) => {
    if (token !== undefined) {
      // The address bar, the history and the next screenshot must not have it.
      const { keepInvite } = await import('./kept-invite.ts');
      keepInvite(token);
      throw redirect({ href: PATTERNS.invite, replace: true });
    }
    await queryClient.prefetchQuery(sessionQuery);
  },
  component: lazyRouteComponent(() => import('./invite-page.tsx'), 'InvitePage'),
});

export const inviteRoutes = [inviteRoute] as const;
