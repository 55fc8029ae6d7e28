import { createExactFingerprints } from '../capture/exact-fingerprints.ts';
import { createPackedReader } from '../installation/packages/packed-files.ts';
import { startHeartbeat } from '../installation/processes/heartbeat.ts';
import { MAP_DEFAULTS } from '../maps/map-settings.ts';
import { startCanary } from '../monitor/canary/start-canary.ts';
import { watchReceipt } from '../monitor/heartbeats/watch-receipt.ts';
import { createBodyScheduler } from '../pipeline/ingest/body-scheduler.ts';
import { createIntakeWindow } from '../pipeline/ingest/intake-window.ts';
import { createLedgerWatch } from '../pipeline/ledger/ledger-watch.ts';
import {
  type Database,
  DatabaseUnavailableError,
  openDatabase,
  StatementCanceledError,
} from '../platform/db/database.ts';
import { ANSWER_SILENT_AFTER_MS } from '../platform/db/server-watch.ts';
import { createBinder } from '../platform/http/binding/bind-endpoint.ts';
import type { BinderOptions } from '../platform/http/binding/callers.ts';
import { closeGracefully } from '../platform/http/server/close-gracefully.ts';
import { createHttpServer } from '../platform/http/server/http-server.ts';
import { listenProblem } from '../platform/http/server/listen-error.ts';
import { readMetrics } from '../platform/metrics/metrics.ts';
import { ObjectStoreUnavailableError } from '../platform/objects/object-store.ts';
import { openObjectStore } from '../platform/objects/open-object-store.ts';
import { deriveKeys } from '../platform/secrets/keys.ts';
import type { Runtime } from '../runtime.ts';
import type { ApiCallers } from '../workspace/access/api-callers.ts';
import { createAuthorizers } from '../workspace/access/authorize.ts';
import { authenticatePerson, authenticateSession } from '../workspace/accounts/authenticate-session.ts';
import { checkCsrf } from '../workspace/accounts/check-csrf.ts';
import { NO_PAYMENT_PROVIDER } from '../workspace/billing/payment-provider.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';
import { authenticateProject } from '../workspace/tokens/authenticate-project.ts';
import { mayTokenAsk } from '../workspace/tokens/token-access.ts';
import type { TokenStaleness } from '../workspace/tokens/token-staleness.ts';
import type { ApiOptions, ApiRole } from './api-options.ts';
import { bindApi } from './bind-api.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { sendToSelf } from './send-to-self.ts';
import { TABLES } from './tables.ts';
import { watchFreeSpace } from './watch-free-space.ts';

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

  const packed = createPackedReader(options);
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
  const kinds = bindApi({
    server,
    binder,
    runtime,
    options,
    intake,
    monitoring,
    received: { window, bodies, loop, hasFreeSpace: space.isEnough },
    packed,
    appOrigins,
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
