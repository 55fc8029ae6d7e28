import { requirePolicies } from '@culprit/contract/capture/policy';
import { api } from '@culprit/contract/endpoints/api';
import type { Logger } from 'pino';
import { bindBuildToolRoutes } from '../build-tools/build-tools.routes.ts';
import { bindCaptureRoutes } from '../capture/capture.routes.ts';
import { createExactFingerprints } from '../capture/exact-fingerprints.ts';
import type { InstallationSettings } from '../installation/findings/inspect-installation.ts';
import { bindInstallationRoutes } from '../installation/installation.routes.ts';
import { bindPackageRoutes } from '../installation/packages/packages.routes.ts';
import { type PackedFiles, readPackedFiles } from '../installation/packages/packed-files.ts';
import { startHeartbeat } from '../installation/processes/heartbeat.ts';
import { MAP_DEFAULTS, type MapSettings } from '../maps/map-settings.ts';
import { bindMapRoutes } from '../maps/maps.routes.ts';
import { bindMcpRoute } from '../mcp/mcp.routes.ts';
import { bindAvailabilityRoutes } from '../monitor/availability/availability.routes.ts';
import { startCanary } from '../monitor/canary/start-canary.ts';
import { bindHeartbeatRoutes } from '../monitor/heartbeats/heartbeats.routes.ts';
import { pingRoutes } from '../monitor/heartbeats/pings.routes.ts';
import { outcomeOf, recordSentryCheckIn } from '../monitor/heartbeats/record-sentry-check-in.ts';
import { watchReceipt } from '../monitor/heartbeats/watch-receipt.ts';
import { bindAlertRoutes } from '../notify/alerts/alerts.routes.ts';
import { createFirstAlert } from '../notify/alerts/first-alert.ts';
import { bindPersonalRoutes } from '../notify/personal/personal.routes.ts';
import { bindReportRoutes } from '../notify/reports/reports.routes.ts';
import { bindSlackRoutes } from '../notify/slack/slack.routes.ts';
import type { SlackApp } from '../notify/slack/slack-settings.ts';
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
import { createBodyScheduler } from '../pipeline/ingest/body-scheduler.ts';
import { bindForeignRoutes } from '../pipeline/ingest/foreign/foreign.routes.ts';
import { createForeignKeys } from '../pipeline/ingest/foreign/foreign-keys.ts';
import { createKindLedger } from '../pipeline/ingest/foreign/kind-ledger.ts';
import { createReportDesk } from '../pipeline/ingest/foreign/reports/report-desk.ts';
import { bindFateRoutes, bindIngestRoutes } from '../pipeline/ingest/ingest.routes.ts';
import { createIntakeWindow } from '../pipeline/ingest/intake-window.ts';
import { createKnownTokens } from '../pipeline/ingest/known-tokens.ts';
import { createKeyPolicies } from '../pipeline/ingest/window-policies.ts';
import { bindLedgerRoutes } from '../pipeline/ledger/ledger.routes.ts';
import { createLedgerWatch } from '../pipeline/ledger/ledger-watch.ts';
import type { StreamTimes } from '../pipeline/ledger/stream-changes.ts';
import {
  type Database,
  DatabaseUnavailableError,
  openDatabase,
  StatementCanceledError,
} from '../platform/db/database.ts';
import type { Migration } from '../platform/db/migrate.ts';
import { ANSWER_SILENT_AFTER_MS } from '../platform/db/server-watch.ts';
import { errorFields } from '../platform/error-fields.ts';
import { createBinder } from '../platform/http/binding/bind-endpoint.ts';
import type { BinderOptions } from '../platform/http/binding/callers.ts';
import { bindDashboard } from '../platform/http/dashboard/dashboard-routes.ts';
import type { HttpLimits } from '../platform/http/limits/http-limits.ts';
import { bindReferencePage } from '../platform/http/reference/reference-page.ts';
import { bindAppAddress } from '../platform/http/server/app-address.ts';
import { closeGracefully } from '../platform/http/server/close-gracefully.ts';
import { bindHealthRoutes } from '../platform/http/server/health-routes.ts';
import { createHttpServer } from '../platform/http/server/http-server.ts';
import { listenProblem } from '../platform/http/server/listen-error.ts';
import { bindMetricsRoute } from '../platform/http/server/metrics-route.ts';
import { readMetrics } from '../platform/metrics/metrics.ts';
import { ObjectStoreUnavailableError } from '../platform/objects/object-store.ts';
import { type ObjectStoreLocation, openObjectStore } from '../platform/objects/open-object-store.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { deriveKeys } from '../platform/secrets/keys.ts';
import type { Secret } from '../platform/secrets/secret.ts';
import { bindProbeRoutes } from '../probes/probes.routes.ts';
import type { Runtime } from '../runtime.ts';
import { bindLinkRoutes } from '../tickets/links.routes.ts';
import { trackerHookRoutes } from '../tickets/tracker-hooks.ts';
import { bindSampleDataRoutes } from '../upkeep/sample-data/sample-data.routes.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { createAuthorizers } from '../workspace/access/authorize.ts';
import { bindAccountRoutes } from '../workspace/account-data/account.routes.ts';
import { authenticatePerson, authenticateSession } from '../workspace/accounts/authenticate-session.ts';
import { checkCsrf } from '../workspace/accounts/check-csrf.ts';
import { bindCliSignInRoutes } from '../workspace/accounts/cli-sign-in.routes.ts';
import type { GithubSettings } from '../workspace/accounts/github/github-settings.ts';
import { bindGithubRoutes } from '../workspace/accounts/github.routes.ts';
import { bindMemberTokenRoutes } from '../workspace/accounts/member-tokens.routes.ts';
import type { OidcSettings } from '../workspace/accounts/oidc/oidc-settings.ts';
import { bindOidcRoutes } from '../workspace/accounts/oidc.routes.ts';
import type { OperatorSettings } from '../workspace/accounts/operators.ts';
import { bindSignInRoutes } from '../workspace/accounts/sign-in.routes.ts';
import type { SignInSettings } from '../workspace/accounts/sign-in-settings.ts';
import { bindBillingRoutes } from '../workspace/billing/billing.routes.ts';
import { NO_PAYMENT_PROVIDER } from '../workspace/billing/payment-provider.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';
import { bindPeopleRoutes } from '../workspace/members/people.routes.ts';
import { bindProjectRoutes } from '../workspace/projects/projects.routes.ts';
import { syncGroupsAndTeams } from '../workspace/teams/sync-team-groups.ts';
import { bindTeamRoutes } from '../workspace/teams/teams.routes.ts';
import { authenticateProject } from '../workspace/tokens/authenticate-project.ts';
import { mayTokenAsk } from '../workspace/tokens/token-access.ts';
import type { TokenStaleness } from '../workspace/tokens/token-staleness.ts';
import { bindViewRoutes } from '../workspace/views/views.routes.ts';
import { requireLaneRows } from './lanes.ts';
import { inspectDatabase, MEASURED_LANES } from './metrics.queries.ts';
import { type AskWorker, createMetricsPage } from './metrics-page.ts';
import { readinessCheck } from './readiness.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { sendToSelf } from './send-to-self.ts';
import { TABLES } from './tables.ts';
import { watchFreeSpace } from './watch-free-space.ts';

export interface ApiOptions {
  databaseUrl: string;
  /** Database connections at most. */
  connectionsMax: number;
  objectStore: ObjectStoreLocation;
  host: string;
  port: number;
  baseUrl: string;
  appUrl: string;
  /** Origins that may use cookies, besides those of app URL and base URL (docs/contract/account.md 2.7). */
  corsOrigins: readonly string[];
  /** Peers whose `X-Forwarded-For` is believed: addresses or ranges. */
  trustedProxies: readonly string[];
  /** True if browsers are instructed to reach all hosts below this one by https too. */
  hstsIncludesSubdomains?: boolean;
  plans: PlanSettings;
  signIn: SignInSettings;
  operators: OperatorSettings;
  /** The facts that the operator page shows. */
  installation: InstallationSettings;
  /** The interval at which this process reports that it is running; absent: never. */
  heartbeatMs?: number;
  /** Null: no sign-in with GitHub. */
  github: GithubSettings | null;
  /** Null: OpenID Connect is not set up. */
  oidc: OidcSettings | null;
  /** Null: no Slack channels are connected. */
  slack: SlackApp | null;
  /** Signs and encrypts what only this installation may read. */
  dataKey: Secret<Buffer>;
  /** The policy for calls to addresses from users. */
  outbound: OutboundPolicy;
  freeSpaceMinBytes: number | null;
  /** The time for which a stop continues to serve before it closes the port. */
  drainMs: number;
  migrations: readonly Migration[];
  /** False while the worker that was started with this process is not up: `/ready` says so. Absent: there is none. */
  isWorkerUp?: () => boolean;
  version: string;
  /** The folder of the built dashboard; null: none is served. */
  dashboardDirectory: string | null;
  /** The settings of the stored source maps; absent: the defaults. */
  maps?: MapSettings;
  /** The folder of the built packages; null: none are served. */
  packagesDirectory: string | null;
  /** The permissions of agents at `/mcp`. */
  mcp: Runtime['mcp'];
  /** The token with which other machines can read `/metrics`, and the worker that was started with this process. */
  metrics: { token: Secret | null; askWorker: AskWorker | null };
  /** Null: no canary. */
  canary: CanarySchedule | null;
  log: Logger;
  limits?: Partial<HttpLimits>;
  /** The lifetimes of streams of changes; those of the contract if absent. */
  streamTimes?: StreamTimes;
  /** Checks every answer against its schema: for tests. */
  verifiesResponses?: boolean;
}

export interface ApiRole {
  /** The address at which the server listens, such as `http://127.0.0.1:4800`. */
  address: string;
  /** Stops by docs/contract/reliability.md A7; true when no request had to be cut. */
  stop(): Promise<boolean>;
}

/** The interval of the canary, and its time limit. */
interface CanarySchedule {
  intervalSeconds: number;
  /** The interval at which each process checks if a run is due. */
  pollIntervalMs: number;
  timeoutMs: number;
}

/**
 * Windows need their own connections, so that reads cannot delay the event intake: one each, and one to look up tokens
 * and to return budget.
 */
const INTAKE_CONNECTIONS = 4;
const READ_CONNECTIONS_MIN = 2;
/** A little more than the limit on the server, which ends the statement there too. */
const LOOK_TIMEOUT_MS = 2500;

/** Starts the HTTP side: ingestion, the management API, health, the reference. */
export async function startApi(options: ApiOptions): Promise<ApiRole> {
  const { log, databaseUrl: url, plans } = options;
  const readConnections = Math.max(READ_CONNECTIONS_MIN, options.connectionsMax - INTAKE_CONNECTIONS);
  const pool = { url, silentAfterMs: ANSWER_SILENT_AFTER_MS };
  const reads = openDatabase({ ...pool, connectionsMax: readConnections, applicationName: 'culprit-api' });
  const intake = openDatabase({
    ...pool,
    connectionsMax: INTAKE_CONNECTIONS,
    applicationName: 'culprit-intake',
  });
  // Its own connection: what is looked at when nothing else works must not wait for the rest.
  const monitoring = openDatabase({
    url,
    connectionsMax: 1,
    statementTimeoutMs: LOOK_TIMEOUT_MS,
    applicationName: 'culprit-metrics',
  });
  const objects = await openObjectStore(options.objectStore);
  const space = await watchFreeSpace(objects, options.freeSpaceMinBytes, log);
  const appOrigins = [new URL(options.appUrl).origin, ...options.corsOrigins];
  const server = createHttpServer({
    log,
    appOrigins,
    trustedProxies: options.trustedProxies,
    isHttps: options.baseUrl.startsWith('https:'),
    hstsIncludesSubdomains: options.hstsIncludesSubdomains === true,
    isOutage: (error) =>
      error instanceof DatabaseUnavailableError ||
      error instanceof StatementCanceledError ||
      error instanceof ObjectStoreUnavailableError,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const keys = deriveKeys(options.dataKey);
  const ownOrigins = new Set([...appOrigins, new URL(options.baseUrl).origin]);
  const binder = createBinder<ApiCallers>({
    server,
    authenticators: authenticators(reads, plans, options.oidc?.tokenStaleness ?? null),
    authorizers: createAuthorizers({
      database: reads,
      plans,
      operators: options.operators,
      recordTables: RECORD_TABLES,
    }),
    mayAsk: mayTokenAsk,
    repeatParts: ({ userId }, access) => [
      userId,
      access !== null && 'recordId' in access ? access.recordId : '',
    ],
    checkCsrf: (caller, headers) => checkCsrf(caller, headers, { csrfKey: keys.csrf, ownOrigins }),
    ...(options.verifiesResponses === undefined ? {} : { verifiesResponses: options.verifiesResponses }),
  });
  const { loop } = server.load;
  const bodies = createBodyScheduler(loop);
  const window = createIntakeWindow({ database: intake, objects, plans: options.plans, log, loop });

  const packed = packedFiles(options);
  const ledger = createLedgerWatch(url);
  const fingerprints = createExactFingerprints(log);
  const runtime: Runtime = {
    ledger,
    version: options.version,
    database: reads,
    objects,
    fingerprints,
    tables: TABLES,
    outbound: options.outbound,
    keys,
    plans,
    // Settings that name another provider are refused at the start.
    payments: NO_PAYMENT_PROVIDER,
    signIn: options.signIn,
    operators: options.operators,
    github: options.github,
    oidc: options.oidc,
    slackApp: options.slack,
    mcp: options.mcp,
    packages: { isOn: options.packagesDirectory !== null, read: () => packed()?.description ?? null },
    baseUrl: options.baseUrl,
    maps: options.maps ?? MAP_DEFAULTS,
    appUrl: options.appUrl,
    log,
  };
  const received = { window, beacons: createBeaconBudget(), bodies, loop, hasFreeSpace: space.isEnough };
  bindIngestRoutes(binder, { ...received, tokens: createKnownTokens(intake, log) });
  const kinds = createKindLedger(intake, log);
  const foreignKeys = createForeignKeys(intake, log);
  const recording = { database: intake, objects, plans };
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
  bindFateRoutes(binder, runtime);
  bindLedgerRoutes(binder, runtime, options.streamTimes);
  bindIncidentRoutes(binder, runtime);
  bindTriageRoutes(binder, runtime);
  bindNoteRoutes(binder, runtime);
  bindViewRoutes(binder, runtime);
  bindGroupingRoutes(binder, runtime);
  bindServiceRoutes(binder, runtime);
  bindReleaseRoutes(binder, runtime);
  bindBundleRoutes(binder, runtime);
  bindSuggestionRoutes(binder, runtime);
  bindImprovementRoutes(binder, runtime);
  bindCaptureRoutes(binder, runtime);
  bindProjectRoutes(binder, runtime, createFirstAlert);
  bindSampleDataRoutes(binder, runtime);
  bindSignInRoutes(binder, runtime);
  bindGithubRoutes(binder, runtime);
  bindOidcRoutes(binder, runtime, syncGroupsAndTeams);
  bindCliSignInRoutes(binder, runtime);
  bindMemberTokenRoutes(binder, runtime);
  bindPeopleRoutes(binder, runtime);
  bindTeamRoutes(binder, runtime);
  bindOwnershipRoutes(binder, runtime);
  bindPersonalRoutes(binder, runtime);
  bindAccountRoutes(binder, runtime);
  bindBillingRoutes(binder, runtime);
  bindMapRoutes(binder, runtime);
  bindProbeRoutes(binder, runtime);
  bindSlackRoutes(binder, runtime);
  bindAlertRoutes(binder, runtime, fitQueries);
  bindAvailabilityRoutes(binder, runtime);
  bindHeartbeatRoutes(binder, runtime);
  bindTrackerRoutes(binder, runtime);
  bindLinkRoutes(binder, runtime);
  bindWebhookRoutes(binder, runtime);
  bindReportRoutes(binder, runtime);
  const checkReadiness = readinessCheck({
    database: reads,
    objects,
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

  async function stop(): Promise<boolean> {
    await canary?.stop();
    await heartbeat?.stop();
    await receipt?.stop();
    const isClean = await closeGracefully(server, {
      drainMs: options.drainMs,
      onClosing() {
        bodies.refuseWaiting();
        ledger.beginClose();
      },
    });
    await window.drain();
    await kinds.flush();
    space.stop();
    await fingerprints.close();
    await Promise.all([ledger.close(), reads.close(), intake.close(), monitoring.close()]);
    return isClean;
  }

  let canary: ReturnType<typeof startCanary> | null = null;
  let heartbeat: ReturnType<typeof startHeartbeat> | null = null;
  let receipt: ReturnType<typeof watchReceipt> | null = null;
  const { host, port } = options;
  const address = await server.listen({ host, port }).catch(async (error: unknown) => {
    await stop();
    throw listenProblem(error, { host, port });
  });
  receipt = watchReceipt(reads, log);
  if (options.canary !== null) {
    canary = startCanary({
      ...runtime,
      ...options.canary,
      send: (projectToken, body) => sendToSelf(address, projectToken, body),
    });
  }
  if (options.heartbeatMs !== undefined) {
    heartbeat = startHeartbeat({
      database: reads,
      role: 'api',
      version: options.version,
      intervalMs: options.heartbeatMs,
      metrics: readMetrics,
      log,
    });
  }
  return { address, stop };
}

/** Read once they are built; until then each question looks for them. A folder that cannot be read is not built. */
function packedFiles({ packagesDirectory, baseUrl, appUrl, log }: ApiOptions): () => PackedFiles | null {
  let known: PackedFiles | null = null;
  let isReported = false;
  return () => {
    if (packagesDirectory === null || known !== null) return known;
    try {
      known = readPackedFiles(packagesDirectory, { baseUrl, appUrl });
    } catch (error) {
      if (!isReported) log.warn(errorFields(error), 'packages cannot be read; run npm run build:packages');
      isReported = true;
    }
    return known;
  };
}

function authenticators(
  database: Database,
  plans: PlanSettings,
  staleness: TokenStaleness | null,
): BinderOptions<ApiCallers>['authenticators'] {
  return {
    member: (headers) => authenticatePerson(database, headers, staleness),
    // Ingestion does not use this: it finds its tokens for many requests together, inside the window of the event
    // intake.
    project_token: (headers) => authenticateProject(database, plans, headers),
    session: (headers) => authenticateSession(database, headers),
  };
}
