import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const webhooksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.webhooks,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { webhooksQuery } = await import('./webhooks-query.ts');
    void queryClient.prefetchQuery(webhooksQuery(pid));
  },
  component: lazyRouteComponent(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

const newWebhookRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.newWebhook,
  component: lazyRouteComponent(() => import('./new-webhook-page.tsx'), 'NewWebhookPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.webhook,
  validateSearch: (search) => knownSearch(search, ['edit', 'status', 'delivery']),
  loader: async ({ context: { queryClient }, params: { webhookId } }) => {
    const { webhookQuery } = await import('./webhooks-query.ts');
    void queryClient.prefetchQuery(webhookQuery(webhookId));
  },
  component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
});

export const webhooksRoutes = [webhooksRoute, newWebhookRoute, webhookRoute] as const;
