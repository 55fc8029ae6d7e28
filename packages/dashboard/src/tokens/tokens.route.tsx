import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const tokensRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.tokens,
  validateSearch: (search) => knownSearch(search, ['new']),
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { tokensQuery } = await import('./tokens-query.ts');
    void queryClient.prefetchQuery(tokensQuery(pid));
  },
  component: lazyRouteComponent(() => import('./tokens-page.tsx'), 'TokensPage'),
});

export const tokensRoutes = [tokensRoute] as const;
