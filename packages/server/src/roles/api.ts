import { api } from '@culprit/contract/api';
import type { Logger } from 'pino';
import type { PlanSettings } from '../billing/plan.ts';
import { bindBundleRoutes } from '../bundles/bundles.routes.ts';
import { bindIncidentRoutes } from '../incidents/incidents.routes.ts';
import { bindIngestRoutes } from '../ingest/ingest.routes.ts';
import { createIntakeShares } from '../ingest/intake-shares.ts';
import { createIntakeWindow } from '../ingest/intake-window.ts';
import { type Database, DatabaseUnavailableError, openDatabase } from '../platform/db/database.ts';
import type { Migration } from '../platform/db/migrate.ts';
import { type Callers, createBinder } from '../platform/http/bind-endpoint.ts';
import { closeGracefully } from '../platform/http/close-gracefully.ts';
import { bindHealthRoutes } from '../platform/http/health-routes.ts';
import type { HttpLimits } from '../platform/http/http-limits.ts';
import { createHttpServer } from '../platform/http/http-server.ts';
import { listenProblem } from '../platform/http/listen-error.ts';
import { bindReferencePage } from '../platform/http/reference-page.ts';
import { createFileObjectStore, OBJECT_WRITE_TIMEOUT_MS } from '../platform/objects/file-object-store.ts';
import { ObjectStoreUnavailableError } from '../platform/objects/object-store.ts';
import { authenticateMember, type Member } from '../tokens/authenticate-member.ts';
import { readinessCheck } from './readiness.ts';
import { watchFreeSpace } from './watch-free-space.ts';

export interface ApiOptions {
  databaseUrl: string;
  /** Database connections at most. */
  connectionsMax: number;
  objectDirectory: string;
  host: string;
  port: number;
  baseUrl: string;
  appUrl: string;
  plans: PlanSettings;
  freeSpaceMinBytes: number | null;
  migrations: readonly Migration[];
  version: string;
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

interface ApiCallers extends Callers {
  member: Member;
}

/** Windows need their own connections, so that reads cannot hold up intake: one each, and one to give budget back. */
const INTAKE_CONNECTIONS = 4;
const READ_CONNECTIONS_MIN = 2;

/** Starts the HTTP side: ingestion, the management API, health, the reference. */
export async function startApi(options: ApiOptions): Promise<ApiRole> {
  const { log, databaseUrl: url } = options;
  const readConnections = Math.max(READ_CONNECTIONS_MIN, options.connectionsMax - INTAKE_CONNECTIONS);
  const reads = openDatabase({ url, connectionsMax: readConnections, applicationName: 'culprit-api' });
  const intake = openDatabase({ url, connectionsMax: INTAKE_CONNECTIONS, applicationName: 'culprit-intake' });
  const objects = await createFileObjectStore({
    directory: options.objectDirectory,
    writeTimeoutMs: OBJECT_WRITE_TIMEOUT_MS,
  });
  const space = await watchFreeSpace(objects, options.freeSpaceMinBytes, log);
  const server = createHttpServer({
    log,
    appOrigins: [new URL(options.appUrl).origin],
    isHttps: options.baseUrl.startsWith('https:'),
    isOutage: (error) =>
      error instanceof DatabaseUnavailableError || error instanceof ObjectStoreUnavailableError,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const binder = createBinder<ApiCallers>({
    server,
    authenticators: authenticators(reads),
    // Bearer tokens need no CSRF header, and there are no cookie sessions yet.
    checkCsrf: () => null,
    ...(options.verifiesResponses === undefined ? {} : { verifiesResponses: options.verifiesResponses }),
  });
  const window = createIntakeWindow({ database: intake, objects, plans: options.plans, log });

  bindIngestRoutes(binder, { window, shares: createIntakeShares(), hasFreeSpace: space.isEnough });
  bindIncidentRoutes(binder, reads);
  bindBundleRoutes(binder, { database: reads, objects });
  const checkReadiness = readinessCheck({ database: reads, objects, migrations: options.migrations });
  bindHealthRoutes(binder, server, { version: options.version, checkReadiness });
  binder.requireAll(api);
  bindReferencePage(server, {
    endpoints: api,
    title: 'Culprit',
    version: options.version,
    serverUrl: options.baseUrl,
  });

  async function stop(): Promise<boolean> {
    const isClean = await closeGracefully(server);
    await window.drain();
    space.stop();
    await Promise.all([reads.close(), intake.close()]);
    return isClean;
  }

  const { host, port } = options;
  const address = await server.listen({ host, port }).catch(async (error: unknown) => {
    await stop();
    throw listenProblem(error, { host, port });
  });
  return { address, stop };
}

function authenticators(database: Database) {
  return {
    member: (headers: Parameters<typeof authenticateMember>[1]) => authenticateMember(database, headers),
    // Ingestion finds its tokens for many requests together, inside the intake window.
    project_token: async () => null,
    session: async () => null,
  };
}
