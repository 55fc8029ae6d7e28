import { requirePolicies } from '@culprit/contract/capture/policy';
import { api } from '@culprit/contract/endpoints/api';
import { bindBuildToolRoutes } from '../build-tools/build-tools.routes.ts';
import { bindCaptureRoutes } from '../capture/capture.routes.ts';
import { bindInstallationRoutes } from '../installation/installation.routes.ts';
import { bindPackageRoutes } from '../installation/packages/packages.routes.ts';
import type { PackedFiles } from '../installation/packages/packed-files.ts';
import { bindMapRoutes } from '../maps/maps.routes.ts';
import { bindMcpRoute } from '../mcp/mcp.routes.ts';
import { bindAvailabilityRoutes } from '../monitor/availability/availability.routes.ts';
import { bindHeartbeatRoutes } from '../monitor/heartbeats/heartbeats.routes.ts';
import { pingRoutes } from '../monitor/heartbeats/pings.routes.ts';
import { outcomeOf, recordSentryCheckIn } from '../monitor/heartbeats/record-sentry-check-in.ts';
import { bindAlertRoutes } from '../notify/alerts/alerts.routes.ts';
import { createFirstAlert } from '../notify/alerts/first-alert.ts';
import { bindPersonalRoutes } from '../notify/personal/personal.routes.ts';
import { bindReportRoutes } from '../notify/reports/reports.routes.ts';
import { bindSlackRoutes } from '../notify/slack/slack.routes.ts';
import { bindTrackerRoutes } from '../notify/trackers/trackers.routes.ts';
import { bindWebhookRoutes } from '../notify/webhooks/webhooks.routes.ts';
import { bindBundleRoutes } from '../pipeline/bundles/document/bundles.routes.ts';
import { bindSuggestionRoutes } from '../pipeline/bundles/suggestions/suggestions.routes.ts';
import { bindImprovementRoutes } from '../pipeline/improvements/improvements.routes.ts';
import { bindGroupingRoutes } from '../pipeline/incidents/grouping/grouping.routes.ts';
import { bindNoteRoutes } from '../pipeline/incidents/notes/notes.routes.ts';
import { bindOwnershipRoutes } from '../pipeline/incidents/ownership/ownership.routes.ts';
import { bindIncidentRoutes } from '../pipeline/incidents/reading/incidents.routes.ts';
import { bindServiceRoutes } from '../pipeline/incidents/reading/services.routes.ts';
import { bindReleaseRoutes } from '../pipeline/incidents/releases/releases.routes.ts';
import { fitQueries } from '../pipeline/incidents/searching/fit-queries.ts';
import { bindTriageRoutes } from '../pipeline/incidents/triage/triage.routes.ts';
import { createBeaconBudget } from '../pipeline/ingest/accept-events.ts';
import { bindForeignRoutes } from '../pipeline/ingest/foreign/foreign.routes.ts';
import type { ForeignIntake } from '../pipeline/ingest/foreign/foreign-intake.ts';
import { createForeignKeys } from '../pipeline/ingest/foreign/foreign-keys.ts';
import { createKindLedger, type KindLedger } from '../pipeline/ingest/foreign/kind-ledger.ts';
import { createReportDesk } from '../pipeline/ingest/foreign/reports/report-desk.ts';
import { bindFateRoutes, bindIngestRoutes } from '../pipeline/ingest/ingest.routes.ts';
import { createKnownTokens } from '../pipeline/ingest/known-tokens.ts';
import { createKeyPolicies } from '../pipeline/ingest/window-policies.ts';
import { bindLedgerRoutes } from '../pipeline/ledger/ledger.routes.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder } from '../platform/http/binding/bind-endpoint.ts';
import { bindDashboard } from '../platform/http/dashboard/dashboard-routes.ts';
import { bindReferencePage } from '../platform/http/reference/reference-page.ts';
import { bindAppAddress } from '../platform/http/server/app-address.ts';
import { bindHealthRoutes } from '../platform/http/server/health-routes.ts';
import type { HttpServer } from '../platform/http/server/http-server.ts';
import { bindMetricsRoute } from '../platform/http/server/metrics-route.ts';
import { bindProbeRoutes } from '../probes/probes.routes.ts';
import type { Runtime } from '../runtime.ts';
import { bindLinkRoutes } from '../tickets/links.routes.ts';
import { trackerHookRoutes } from '../tickets/tracker-hooks.ts';
import { bindSampleDataRoutes } from '../upkeep/sample-data/sample-data.routes.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { bindAccountRoutes } from '../workspace/account-data/account.routes.ts';
import { bindCliSignInRoutes } from '../workspace/accounts/cli-sign-in.routes.ts';
import { bindGithubRoutes } from '../workspace/accounts/github.routes.ts';
import { bindMemberTokenRoutes } from '../workspace/accounts/member-tokens.routes.ts';
import { bindOidcRoutes } from '../workspace/accounts/oidc.routes.ts';
import { bindSignInRoutes } from '../workspace/accounts/sign-in.routes.ts';
import { bindBillingRoutes } from '../workspace/billing/billing.routes.ts';
import { bindPeopleRoutes } from '../workspace/members/people.routes.ts';
import { bindProjectRoutes } from '../workspace/projects/projects.routes.ts';
import { syncGroupsAndTeams } from '../workspace/teams/sync-team-groups.ts';
import { bindTeamRoutes } from '../workspace/teams/teams.routes.ts';
import { bindViewRoutes } from '../workspace/views/views.routes.ts';
import type { ApiOptions } from './api-options.ts';
import { requireLaneRows } from './lanes.ts';
import { inspectDatabase, MEASURED_LANES } from './metrics.queries.ts';
import { createMetricsPage } from './metrics-page.ts';
import { readinessCheck } from './readiness.ts';

/** The features whose endpoints need nothing but the runtime. */
const FEATURES: readonly ((binder: Binder<ApiCallers>, runtime: Runtime) => void)[] = [
  bindAccountRoutes,
  bindAvailabilityRoutes,
  bindBillingRoutes,
  bindBundleRoutes,
  bindCaptureRoutes,
  bindCliSignInRoutes,
  bindFateRoutes,
  bindGithubRoutes,
  bindGroupingRoutes,
  bindHeartbeatRoutes,
  bindImprovementRoutes,
  bindIncidentRoutes,
  bindLinkRoutes,
  bindMapRoutes,
  bindMemberTokenRoutes,
  bindNoteRoutes,
  bindOwnershipRoutes,
  bindPeopleRoutes,
  bindPersonalRoutes,
  bindProbeRoutes,
  bindReleaseRoutes,
  bindReportRoutes,
  bindSampleDataRoutes,
  bindServiceRoutes,
  bindSignInRoutes,
  bindSlackRoutes,
  bindSuggestionRoutes,
  bindTeamRoutes,
  bindTrackerRoutes,
  bindTriageRoutes,
  bindViewRoutes,
  bindWebhookRoutes,
];

interface ApiParts {
  server: HttpServer;
  binder: Binder<ApiCallers>;
  runtime: Runtime;
  options: ApiOptions;
  /** The connections of the event intake, and the one that looks at the database itself. */
  intake: Database;
  monitoring: Database;
  received: Pick<ForeignIntake, 'window' | 'bodies' | 'loop' | 'hasFreeSpace'>;
  /** The origins of the dashboard. */
  appOrigins: readonly string[];
  packed: () => PackedFiles | null;
}

/** Binds every route, and fails where an endpoint of the contract has none. Returns the counts of foreign requests. */
export function bindApi({
  server,
  binder,
  runtime,
  options,
  intake,
  monitoring,
  packed,
  appOrigins,
  ...parts
}: ApiParts): KindLedger {
  for (const bind of FEATURES) bind(binder, runtime);
  const { log, plans } = options;
  const received = { ...parts.received, beacons: createBeaconBudget() };
  bindIngestRoutes(binder, { ...received, tokens: createKnownTokens(intake, log) });
  const kinds = createKindLedger(intake, log);
  const foreignKeys = createForeignKeys(intake, log);
  const recording = { database: intake, objects: runtime.objects, plans };
  bindForeignRoutes(
    server,
    {
      ...received,
      kinds,
      reports: createReportDesk(),
      keys: foreignKeys,
      policyOf: createKeyPolicies(plans),
      isLate: server.load.isLoopLate,
      async recordCheckIn(projectId, checkIn) {
        const result = await recordSentryCheckIn(recording, projectId, checkIn);
        return outcomeOf(result);
      },
      log,
    },
    [...pingRoutes({ ...recording, keys: foreignKeys, kinds }), ...trackerHookRoutes(runtime)],
  );
  bindInstallationRoutes(binder, runtime, {
    settings: options.installation,
    migrations: options.migrations,
    lanes: MEASURED_LANES,
    inspect: () => inspectDatabase(monitoring),
  });
  bindLedgerRoutes(binder, runtime, options.streamTimes);
  bindProjectRoutes(binder, runtime, createFirstAlert);
  bindOidcRoutes(binder, runtime, syncGroupsAndTeams);
  bindAlertRoutes(binder, runtime, fitQueries);
  const checkReadiness = readinessCheck({
    database: runtime.database,
    objects: runtime.objects,
    migrations: options.migrations,
    isWorkerUp: options.isWorkerUp ?? (() => true),
  });
  bindHealthRoutes(binder, server, { version: options.version, checkReadiness });
  const { token: metricsToken, askWorker } = options.metrics;
  bindMetricsRoute(server, {
    token: metricsToken,
    page: createMetricsPage({ database: monitoring, askWorker }),
  });
  requirePolicies(api);
  requireLaneRows();
  binder.requireAll(api);
  bindBuildToolRoutes(server, runtime);
  bindMcpRoute(server, runtime, { appOrigins: new Set(appOrigins) });
  bindAppAddress(server, options.appUrl);
  if (options.packagesDirectory !== null) bindPackageRoutes(server, packed);
  if (options.dashboardDirectory !== null) bindDashboard(server, options.dashboardDirectory);
  bindReferencePage(server, {
    endpoints: api,
    title: 'Culprit',
    version: options.version,
    serverUrl: options.baseUrl,
  });
  return kinds;
}
