import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const intakeRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.intake,
  validateSearch: (search) => knownSearch(search, ['span', 'id']),
  loaderDeps: ({ search: { span } }) => ({ span }),
  loader: async ({ context: { queryClient }, params: { pid }, deps: { span } }) => {
    const { fatesQuery, spanIn } = await import('./fates-query.ts');
    void queryClient.prefetchQuery(fatesQuery(pid, spanIn(span), performance.now()));
  },
  component: lazyRouteComponent(() => import('./intake-page.tsx'), 'IntakePage'),
});

export const intakeRoutes = [intakeRoute] as const;
