import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { serverQuery } from '../../api/server.ts';
import { lastProject, sessionQuery } from '../../api/session.ts';
import { pathTo, withSearch } from '../../paths.ts';
import { FrameError } from './screen-error.tsx';

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
});

const loadFrame = () => import('./frame.tsx');

/** Everything that needs a session, inside the frame. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  component: lazyRouteComponent(loadFrame, 'Frame'),
  errorComponent: FrameError,
  beforeLoad: async ({ context: { queryClient }, location }) => {
    // If the browser has a last project, its person is most likely still signed in.
    if (lastProject() !== null) {
      // If a part cannot be loaded, the screen that needs it shows the error.
      loadFrame().catch(() => {});
      import('../../api/projects.ts')
        .then(({ projectsQuery }) => queryClient.prefetchQuery(projectsQuery))
        .catch(() => {});
    }
    // The server's features decide what is drawn, so they are read first.
    const [session] = await Promise.all([
      queryClient.ensureQueryData(sessionQuery),
      queryClient.prefetchQuery(serverQuery),
    ]);
    if (session === null) {
      const target = withSearch(pathTo('login'), {
        return_to: location.href === '/' ? undefined : location.href,
      });
      throw redirect({ href: target, replace: true });
    }
    return { session };
  },
});
