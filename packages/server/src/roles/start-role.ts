import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { type Metric, readMetrics } from '../platform/metrics/metrics.ts';
import { startProcessMetrics } from '../platform/metrics/process-metrics.ts';
import { readDataKey } from '../platform/secrets/data-key.ts';
import { VERSION } from '../version.ts';
import { DASHBOARD_DIRECTORY, PACKAGES_DIRECTORY } from './built-beside.ts';
import type { AskWorker } from './metrics-page.ts';
import { MIGRATIONS_FOLDER } from './migrations-folder.ts';
import { outboundPolicy } from './outbound-policy.ts';
import {
  deliverySettings,
  githubSettings,
  mailSettings,
  mapSettings,
  oidcSettings,
  operatorSettings,
  planSettings,
  signInSettings,
  slackSettings,
} from './settings.ts';

/** One running role of this process. */
export interface RunningRole {
  /** The address at which it listens; null for a role without a port. */
  address: string | null;
  metrics(): Promise<Metric[]>;
  /** True when nothing had to be cut off. */
  stop(): Promise<boolean>;
}

export type Role = Config['roles'][number];

/** Once a minute; one that takes longer than that did not work. */
const CANARY_SCHEDULE = { intervalSeconds: 60, pollIntervalMs: 5000, timeoutMs: 45_000 };

/** A process that was not heard of for four of them is left out of the operator page. */
const HEARTBEAT_MS = 30_000;

/**
 * Starts the API or the worker role against a database that is prepared. Each loads only what it needs.
 * @param options.askWorker of an API that was started together with a worker
 * @param options.isWorkerUp for an API: false while the worker that was started with it is not up
 * @param options.retryScale for a worker: multiplies the delays between retries; 1 except in tests
 */
export async function startRole(
  role: Role,
  config: Config,
  options: {
    databaseUrl: string;
    port: number;
    askWorker: AskWorker | null;
    isWorkerUp: () => boolean;
    retryScale: number;
    log: Logger;
  },
): Promise<RunningRole> {
  const { databaseUrl, log } = options;
  const plans = planSettings(config);
  const { baseUrl, appUrl, objectStore, metricsToken, metricsPort } = config;
  startProcessMetrics();
  if (role === 'api') {
    const { startApi } = await import('./api.ts');
    const api = await startApi({
      databaseUrl,
      connectionsMax: config.databasePoolApi,
      objectStore,
      host: config.host,
      port: options.port,
      baseUrl,
      appUrl,
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
      hstsIncludesSubdomains: config.hstsIncludesSubdomains,
      plans,
      signIn: signInSettings(config),
      operators: operatorSettings(config),
      installation: config,
      heartbeatMs: HEARTBEAT_MS,
      github: githubSettings(config),
      oidc: oidcSettings(config),
      slack: slackSettings(config),
      dataKey: await readDataKey(config),
      outbound: outboundPolicy(config, { port: options.port, log }),
      freeSpaceMinBytes: config.freeSpaceMinBytes,
      drainMs: config.drainMs,
      limits: { keepAliveTimeoutMs: config.keepAliveMs },
      migrations: await readMigrations(MIGRATIONS_FOLDER),
      version: VERSION,
      mcp: config.mcp,
      maps: mapSettings(config),
      dashboardDirectory: config.isDashboardOn ? DASHBOARD_DIRECTORY : null,
      packagesDirectory: config.arePackagesOn ? PACKAGES_DIRECTORY : null,
      metrics: { token: metricsToken, askWorker: options.askWorker },
      isWorkerUp: options.isWorkerUp,
      canary: config.isCanaryOn ? CANARY_SCHEDULE : null,
      log,
    });
    return { ...api, metrics: readMetrics };
  }
  const { startWorker } = await import('./worker.ts');
  const duties = [
    ...Array.from({ length: config.workerThreads }, () => 'events' as const),
    'bundles' as const,
  ];
  const worker = await startWorker(
    {
      databaseUrl,
      objectStore,
      plans,
      constants: { baseUrl, appUrl },
      logLevel: config.logLevel,
      logFormat: config.logFormat,
      retryScale: options.retryScale,
      duties,
      maps: mapSettings(config),
      background: {
        mail: mailSettings(config),
        dataKey: await readDataKey(config),
        outbound: outboundPolicy(config, { port: options.port, log }),
        deliveries: deliverySettings(config),
      },
      connectionsMax: config.databasePoolWorker,
      heartbeat: { intervalMs: HEARTBEAT_MS, version: VERSION },
    },
    log,
  );
  /** The port for metrics, which a worker beside an API does without. */
  async function startListener(): Promise<{ stop(): Promise<void> } | null> {
    if (metricsPort === null) return null;
    const { startMetricsListener } = await import('./metrics-listener.ts');
    return await startMetricsListener({
      host: config.host,
      port: metricsPort,
      token: metricsToken,
      read: worker.metrics,
      log,
    });
  }

  const listener = await startListener().catch(async (error: unknown) => {
    await worker.stop();
    throw error;
  });
  return {
    address: null,
    metrics: worker.metrics,
    async stop() {
      await listener?.stop();
      await worker.stop();
      return true;
    },
  };
}
