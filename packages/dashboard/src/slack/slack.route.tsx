import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const slackRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.slack,
  validateSearch: (search) => knownSearch(search, ['slack_connect']),
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { slackDestinationsQuery } = await import('../api/slack.ts');
    void queryClient.prefetchQuery(slackDestinationsQuery(pid));
  },
  component: lazyRouteComponent(() => import('./slack-page.tsx'), 'SlackPage'),
});

export const slackRoutes = [slackRoute] as const;
