import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import {
  runningEmbeddedPostgresUrl,
  startEmbeddedPostgres,
} from '../platform/db/embedded/embedded-postgres.ts';
import { EmbeddedPostgresError } from '../platform/db/embedded/embedded-postgres-error.ts';
import { createLogger } from '../platform/log.ts';
import { prepareDatabase } from '../roles/prepare-database.ts';

/** How long a server that is just starting may take before its database can be used. */
const SERVER_START_TIMEOUT_MS = 60_000;
const SERVER_START_POLL_MS = 200;

/** Uses the configured or the running database, else starts the embedded one for the length of the command. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database, log: Logger) => Promise<Result>,
): Promise<Result> {
  const log = createLogger({ level: 'warn', role: 'admin', toStandardError: true });
  const { url, stop } =
    config.databaseUrl === null
      ? await embeddedDatabase(config.dataDir, log)
      : { url: config.databaseUrl.reveal(), stop: async () => {} };
  try {
    // Also beside a server: at its first start it may not have come this far yet, and waits for us or we for it.
    await prepareDatabase(url, { isVouchedFor: config.isDatabaseDurabilityVouched, log });
    const database = openDatabase({
      url,
      connectionsMax: 1,
      connectTimeoutMs: 10_000,
      applicationName: 'culprit-admin',
    });
    try {
      return await work(database, log);
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}

/** The database of the running server, also of one that is just starting, else one of our own. */
async function embeddedDatabase(
  dataDir: string,
  log: Logger,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const giveUpAt = performance.now() + SERVER_START_TIMEOUT_MS;
  for (;;) {
    const url = runningEmbeddedPostgresUrl(dataDir);
    if (url !== null) return { url, stop: async () => {} };
    try {
      return await startEmbeddedPostgres({
        dataDir,
        log: (level, message, fields) => log[level](fields ?? {}, message),
      });
    } catch (error) {
      const isLocked = error instanceof EmbeddedPostgresError && error.code === 'data_directory_locked';
      if (!isLocked || performance.now() > giveUpAt) throw error;
    }
    await delay(SERVER_START_POLL_MS);
  }
}
