import type { Logger } from 'pino';
import type { Config } from '../platform/config.ts';
import { readDataKey } from '../platform/data-key.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { VERSION } from '../version.ts';
import { deliverySettings } from './delivery-settings.ts';
import { githubSettings } from './github-settings.ts';
import { mailSettings } from './mail-settings.ts';
import { MIGRATIONS_FOLDER } from './migrations-folder.ts';
import { outboundPolicy } from './outbound-policy.ts';
import { planSettings } from './plan-settings.ts';
import { signInSettings } from './sign-in-settings.ts';

/** One running role of this process. */
export interface RunningRole {
  /** Where it listens; null for a role without a port. */
  address: string | null;
  /** True when nothing had to be cut off. */
  stop(): Promise<boolean>;
}

export type Role = Config['roles'][number];

/** Multiplies the waits of retry ladders, for tests. */
const RETRY_SCALE = Number(process.env.CULPRIT_TEST_RETRY_SCALE ?? '1');

/** Starts the API or the worker role against a database that is prepared. Each loads only what it needs. */
export async function startRole(
  role: Role,
  config: Config,
  options: { databaseUrl: string; port: number; log: Logger },
): Promise<RunningRole> {
  const { databaseUrl, log } = options;
  const plans = planSettings(config);
  const { baseUrl, appUrl, objectDirectory } = config;
  if (role === 'api') {
    const { startApi } = await import('./api.ts');
    return await startApi({
      databaseUrl,
      connectionsMax: config.databasePoolApi,
      objectDirectory,
      host: config.host,
      port: options.port,
      baseUrl,
      appUrl,
      corsOrigins: config.corsOrigins,
      trustedProxies: config.trustedProxies,
      plans,
      signIn: signInSettings(config),
      github: githubSettings(config),
      dataKey: await readDataKey(config),
      outbound: outboundPolicy(config, { port: options.port, log }),
      freeSpaceMinBytes: config.freeSpaceMinBytes,
      migrations: await readMigrations(MIGRATIONS_FOLDER),
      version: VERSION,
      log,
    });
  }
  const { startWorker } = await import('./worker.ts');
  const duties = [
    ...Array.from({ length: config.workerThreads }, () => 'events' as const),
    'bundles' as const,
  ];
  const worker = await startWorker(
    {
      databaseUrl,
      objectDirectory,
      plans,
      constants: { baseUrl, appUrl },
      logLevel: config.logLevel,
      retryScale: RETRY_SCALE,
      duties,
      errands: {
        mail: mailSettings(config),
        dataKey: await readDataKey(config),
        outbound: outboundPolicy(config, { port: options.port, log }),
        deliveries: deliverySettings(config),
      },
      connectionsMax: config.databasePoolWorker,
    },
    log,
  );
  return {
    address: null,
    async stop() {
      await worker.stop();
      return true;
    },
  };
}
