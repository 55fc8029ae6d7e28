import { createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { accountRoutes } from './account/account.route.tsx';
import { alertsRoutes } from './alerts/alerts.route.tsx';
import { queryClient } from './api/query-client.ts';
import { captureRoutes } from './capture/capture.route.tsx';
import { checksRoutes } from './checks/checks.route.tsx';
import { cliRoutes } from './cli/cli.route.tsx';
import { groupingRoutes } from './grouping/grouping.route.tsx';
import { improvementsRoutes } from './improvements/improvements.route.tsx';
import { incidentRoutes } from './incident/incident.route.tsx';
import { incidentsRoutes } from './incidents/incidents.route.tsx';
import { intakeRoutes } from './intake/intake.route.tsx';
import { inviteRoutes } from './invite/invite.route.tsx';
import { operatorRoutes } from './operator/operator.route.tsx';
import { organizationRoutes } from './organization/organization.route.tsx';
import { overviewRoutes } from './overview/overview.route.tsx';
import { ownershipRoutes } from './ownership/ownership.route.tsx';
import { peopleRoutes } from './people/people.route.tsx';
import { probesRoutes } from './probes/probes.route.tsx';
import { projectRoutes } from './project/project.route.tsx';
import { releasesRoutes } from './releases/releases.route.tsx';
import { reportsRoutes } from './reports/reports.route.tsx';
import { servicesRoutes } from './services/services.route.tsx';
import { settingsRoutes } from './settings/settings.route.tsx';
import { setupRoutes } from './setup/setup.route.tsx';
import { FirstFrame } from './shell/frame/first-frame.tsx';
import { frameRoute, rootRoute } from './shell/frame/routes.tsx';
import { ScreenError } from './shell/frame/screen-error.tsx';
import { parseSearch, writeSearch } from './shell/palette/search.ts';
import { slackRoutes } from './slack/slack.route.tsx';
import { sourceMapsRoutes } from './source-maps/source-maps.route.tsx';
import { tailRoutes } from './tail/tail.route.tsx';
import { tokensRoutes } from './tokens/tokens.route.tsx';
import { trackerRoutes } from './trackers/trackers.route.tsx';
import { webhooksRoutes } from './webhooks/webhooks.route.tsx';

/** Every screen there is; an address that none of these has is "Not found". */
const routeTree = rootRoute.addChildren([
  ...accountRoutes,
  ...inviteRoutes,
  frameRoute.addChildren([
    ...incidentsRoutes,
    ...incidentRoutes,
    ...setupRoutes,
    ...alertsRoutes,
    ...webhooksRoutes,
    ...slackRoutes,
    ...trackerRoutes,
    ...reportsRoutes,
    ...captureRoutes,
    ...groupingRoutes,
    ...ownershipRoutes,
    ...probesRoutes,
    ...tokensRoutes,
    ...sourceMapsRoutes,
    ...releasesRoutes,
    ...overviewRoutes,
    ...servicesRoutes,
    ...tailRoutes,
    ...checksRoutes,
    ...improvementsRoutes,
    ...projectRoutes,
    ...peopleRoutes,
    ...intakeRoutes,
    ...organizationRoutes,
    ...operatorRoutes,
    ...settingsRoutes,
    ...cliRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  context: { queryClient },
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  defaultPreloadDelay: 60,
  // The query cache decides what is fresh.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultNotFoundComponent: lazyRouteComponent(() => import('./shell/frame/not-found.tsx'), 'NotFoundPage'),
  defaultErrorComponent: ScreenError,
  InnerWrap: ({ children }) => (
    <>
      {children}
      <FirstFrame />
    </>
  ),
  defaultPendingMs: 1000,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
