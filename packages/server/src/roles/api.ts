import { api } from '@culprit/contract/api';
import { requirePolicies } from '@culprit/contract/policy';
import type { Logger } from 'pino';
import {
  authenticatePerson,
  authenticateSession,
  type SessionCaller,
} from '../accounts/authenticate-session.ts';
import { checkCsrf } from '../accounts/check-csrf.ts';
import { openGithubRoom } from '../accounts/github/github-room.ts';
import type { GithubSettings } from '../accounts/github/github-settings.ts';
import { bindGithubRoutes } from '../accounts/github.routes.ts';
import { organizationOfPerson } from '../accounts/organization-of-person.ts';
import { bindSignInRoutes } from '../accounts/sign-in.routes.ts';
import type { SignInSettings } from '../accounts/sign-in-settings.ts';
import { bindAlertRoutes } from '../alerts/alerts.routes.ts';
import { bindAvailabilityRoutes } from '../availability/availability.routes.ts';
import { bindBillingRoutes } from '../billing/billing.routes.ts';
import { NO_PAYMENT_PROVIDER } from '../billing/payment-provider.ts';
import type { PlanSettings } from '../billing/plan.ts';
import { bindBundleRoutes } from '../bundles/bundles.routes.ts';
import { bindSuggestionRoutes } from '../bundles/suggestions.routes.ts';
import { startCanary } from '../canary/start-canary.ts';
import { bindCaptureRoutes } from '../capture/capture.routes.ts';
import { defaultPreset } from '../capture/default-preset.ts';
import { bindImprovementRoutes } from '../improvements/improvements.routes.ts';
import { bindIncidentRoutes } from '../incidents/incidents.routes.ts';
import { bindIngestRoutes } from '../ingest/ingest.routes.ts';
import { createIntakeShares } from '../ingest/intake-shares.ts';
import { createIntakeWindow } from '../ingest/intake-window.ts';
import { deriveKey } from '../platform/data-key.ts';
import { type Database, DatabaseUnavailableError, openDatabase } from '../platform/db/database.ts';
import type { Migration } from '../platform/db/migrate.ts';
import { ANSWER_SILENT_AFTER_MS } from '../platform/db/server-watch.ts';
import { type Authenticate, type Callers, createBinder } from '../platform/http/bind-endpoint.ts';
import { closeGracefully } from '../platform/http/close-gracefully.ts';
import { bindHealthRoutes } from '../platform/http/health-routes.ts';
import type { HttpLimits } from '../platform/http/http-limits.ts';
import { createHttpServer } from '../platform/http/http-server.ts';
import { listenProblem } from '../platform/http/listen-error.ts';
import { bindMetricsRoute } from '../platform/http/metrics-route.ts';
import { bindReferencePage } from '../platform/http/reference-page.ts';
import { ObjectStoreUnavailableError } from '../platform/objects/object-store.ts';
import { type ObjectStorePlace, openObjectStore } from '../platform/objects/open-object-store.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { Secret } from '../platform/secret.ts';
import { bindProbeRoutes } from '../probes/probes.routes.ts';
import { bindAccountRoutes } from '../projects/account.routes.ts';
import { bindPeopleRoutes } from '../projects/people.routes.ts';
import { bindProjectRoutes } from '../projects/projects.routes.ts';
import { bindReportRoutes } from '../reports/reports.routes.ts';
import { bindSlackRoutes } from '../slack/slack.routes.ts';
import { openSlackRoom } from '../slack/slack-room.ts';
import type { SlackApp } from '../slack/slack-settings.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { authenticateProject, type ClientProject } from '../tokens/authenticate-project.ts';
import { bindMemberTokenRoutes } from '../tokens/tokens.routes.ts';
import { bindWebhookRoutes } from '../webhooks/webhooks.routes.ts';
import { type AskWorker, createMetricsPage } from './metrics-page.ts';
import { readinessCheck } from './readiness.ts';
import { sendToSelf } from './send-to-self.ts';
import { watchFreeSpace } from './watch-free-space.ts';

export interface ApiOptions {
  databaseUrl: string;
  /** Database connections at most. */
  connectionsMax: number;
  objectStore: ObjectStorePlace;
  host: string;
  port: number;
  baseUrl: string;
  appUrl: string;
  /** Origins that may use cookies, besides those of app URL and base URL (account.md 2.7). */
  corsOrigins: readonly string[];
  /** Peers whose `X-Forwarded-For` is believed: addresses or ranges. */
  trustedProxies: readonly string[];
  plans: PlanSettings;
  signIn: SignInSettings;
  /** Null: nobody signs in with GitHub. */
  github: GithubSettings | null;
  /** Null: no Slack channels are connected. */
  slack: SlackApp | null;
  /** Signs and encrypts what only this installation may read. */
  dataKey: Secret<Buffer>;
  /** What may be called at addresses that users give. */
  outbound: OutboundPolicy;
  freeSpaceMinBytes: number | null;
  /** How long a stop goes on serving before it closes the port. */
  drainMs: number;
  migrations: readonly Migration[];
  version: string;
  /** Who besides this machine may read `/metrics`, and the worker that was started with this process. */
  metrics: { token: Secret | null; askWorker: AskWorker | null };
  /** Null: no canary. */
  canary: CanaryPace | null;
  log: Logger;
  limits?: Partial<HttpLimits>;
  /** Checks every answer against its schema: for tests. */
  verifiesResponses?: boolean;
}

export interface ApiRole {
  /** Where the server listens, such as `http://127.0.0.1:4800`. */
  address: string;
  /** Stops by reliability rule A7; true when no request had to be cut. */
  stop(): Promise<boolean>;
}

/** How often the canary flies, and how long it may take. */
export interface CanaryPace {
  intervalSeconds: number;
  /** How often each process looks whether it is time. */
  lookIntervalMs: number;
  timeoutMs: number;
}

interface ApiCallers extends Callers {
  member: Member | SessionCaller;
  project_token: ClientProject;
  session: SessionCaller;
}

/** Windows need their own connections, so that reads cannot hold up intake: one each, and one to give budget back. */
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
  const looks = openDatabase({
    url,
    connectionsMax: 1,
    statementTimeoutMs: LOOK_TIMEOUT_MS,
    applicationName: 'culprit-metrics',
  });
  const objects = await openObjectStore(options.objectStore);
  const space = await watchFreeSpace(objects, options.freeSpaceMinBytes, log);
  const server = createHttpServer({
    log,
    appOrigins: [new URL(options.appUrl).origin, ...options.corsOrigins],
    trustedProxies: options.trustedProxies,
    isHttps: options.baseUrl.startsWith('https:'),
    isOutage: (error) =>
      error instanceof DatabaseUnavailableError || error instanceof ObjectStoreUnavailableError,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const csrfKey = deriveKey(options.dataKey, 'csrf');
  const ownOrigins = new Set([
    new URL(options.appUrl).origin,
    new URL(options.baseUrl).origin,
    ...options.corsOrigins,
  ]);
  const binder = createBinder<ApiCallers>({
    server,
    authenticators: authenticators(reads, plans),
    checkCsrf: (caller, headers) => checkCsrf(caller, headers, { csrfKey, ownOrigins }),
    ...(options.verifiesResponses === undefined ? {} : { verifiesResponses: options.verifiesResponses }),
  });
  const window = createIntakeWindow({ database: intake, objects, plans: options.plans, log });

  bindIngestRoutes(binder, { window, shares: createIntakeShares(), hasFreeSpace: space.isEnough });
  bindIncidentRoutes(binder, { database: reads, plans });
  bindBundleRoutes(binder, { database: reads, objects, plans });
  bindSuggestionRoutes(binder, { database: reads, objects, plans });
  bindImprovementRoutes(binder, { database: reads, objects, plans });
  bindCaptureRoutes(binder, { database: reads, plans });
  bindProjectRoutes(binder, {
    database: reads,
    plans,
    presetOf: (plan) => defaultPreset(plan, plans),
  });
  const people = {
    database: reads,
    plans,
    settings: options.signIn,
    codeKey: deriveKey(options.dataKey, 'mailed-codes'),
    mailKey: deriveKey(options.dataKey, 'queued-mail'),
    csrfKey,
    appUrl: options.appUrl,
  };
  bindSignInRoutes(binder, people);
  bindPeopleRoutes(binder, people);
  bindAccountRoutes(binder, people);
  const { github, dataKey, baseUrl, appUrl } = options;
  const signInRoom = { database: reads, plans, settings: options.signIn };
  bindGithubRoutes(
    binder,
    github === null ? null : openGithubRoom(signInRoom, { github, dataKey, baseUrl, appUrl }),
  );
  bindMemberTokenRoutes(binder, {
    database: reads,
    organizationOf: (transaction, userId) => organizationOfPerson(transaction, plans, userId),
  });
  // Settings that name another provider are refused at the start.
  bindBillingRoutes(binder, { database: reads, plans, provider: NO_PAYMENT_PROVIDER });
  bindProbeRoutes(binder, {
    database: reads,
    plans,
    triggerSecret: new Secret(deriveKey(options.dataKey, 'probe-triggers')),
  });
  const slackRoom = openSlackRoom(
    {
      database: reads,
      plans,
      slackApp: options.slack,
      outbound: options.outbound,
      appUrl,
      isCookieSecure: options.signIn.isCookieSecure,
    },
    { dataKey, baseUrl },
  );
  bindSlackRoutes(binder, slackRoom);
  bindAlertRoutes(binder, {
    database: reads,
    plans,
    outbound: options.outbound,
    slackApp: options.slack,
  });
  bindAvailabilityRoutes(binder, { database: reads, plans, outbound: options.outbound });
  bindWebhookRoutes(binder, {
    database: reads,
    plans,
    secretKey: new Secret(deriveKey(options.dataKey, 'webhook-secrets')),
    outbound: options.outbound,
  });
  bindReportRoutes(binder, {
    database: reads,
    plans,
    outbound: options.outbound,
    slackApp: options.slack,
  });
  const checkReadiness = readinessCheck({ database: reads, objects, migrations: options.migrations });
  bindHealthRoutes(binder, server, { version: options.version, checkReadiness });
  const { token: metricsToken, askWorker } = options.metrics;
  bindMetricsRoute(server, { token: metricsToken, page: createMetricsPage({ database: looks, askWorker }) });
  requirePolicies(api);
  binder.requireAll(api);
  bindReferencePage(server, {
    endpoints: api,
    title: 'Culprit',
    version: options.version,
    serverUrl: options.baseUrl,
  });

  async function stop(): Promise<boolean> {
    await canary?.stop();
    const isClean = await closeGracefully(server, { drainMs: options.drainMs });
    await window.drain();
    space.stop();
    await Promise.all([reads.close(), intake.close(), looks.close()]);
    return isClean;
  }

  let canary: ReturnType<typeof startCanary> | null = null;
  const { host, port } = options;
  const address = await server.listen({ host, port }).catch(async (error: unknown) => {
    await stop();
    throw listenProblem(error, { host, port });
  });
  if (options.canary !== null) {
    const webhookSecretKey = new Secret(deriveKey(options.dataKey, 'webhook-secrets'));
    canary = startCanary({
      ...options.canary,
      database: reads,
      send: (projectToken, body) => sendToSelf(address, projectToken, body),
      webhookSecretKey,
      log,
    });
  }
  return { address, stop };
}

function authenticators(
  database: Database,
  plans: PlanSettings,
): { [Kind in keyof ApiCallers]: Authenticate<ApiCallers[Kind]> } {
  return {
    member: (headers) => authenticatePerson(database, headers),
    // Ingestion does not ask here: it finds its tokens for many requests together, inside the intake window.
    project_token: (headers) => authenticateProject(database, plans, headers),
    session: (headers) => authenticateSession(database, headers),
  };
}
