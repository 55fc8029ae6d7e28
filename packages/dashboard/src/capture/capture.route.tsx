import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const captureRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.capture,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const [{ policyQuery }, { rulesQuery }] = await Promise.all([
      import('../api/capture-policy.ts'),
      import('./capture-query.ts'),
    ]);
    void queryClient.prefetchQuery(policyQuery(pid));
    void queryClient.prefetchQuery(rulesQuery(pid));
  },
  component: lazyRouteComponent(() => import('./capture-page.tsx'), 'CapturePage'),
});

const newRuleRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.newCaptureRule,
  component: lazyRouteComponent(() => import('./rule-page.tsx'), 'NewRulePage'),
});

const ruleRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.captureRule,
  loader: async ({ context: { queryClient }, params: { pid } }) => {
    const { rulesQuery } = await import('./capture-query.ts');
    void queryClient.prefetchQuery(rulesQuery(pid));
  },
  component: lazyRouteComponent(() => import('./rule-page.tsx'), 'RulePage'),
});

export const captureRoutes = [captureRoute, newRuleRoute, ruleRoute] as const;
