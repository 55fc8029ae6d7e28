import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { clusterPaths } from '../platform/db/embedded/cluster.ts';
import {
  runningEmbeddedPostgresUrl,
  startEmbeddedPostgres,
} from '../platform/db/embedded/embedded-postgres.ts';
import { EmbeddedPostgresError } from '../platform/db/embedded/embedded-postgres-error.ts';

/** The time that a starting server can take before its database can be used. */
const SERVER_START_TIMEOUT_MS = 60_000;
const SERVER_START_POLL_MS = 200;

/** The database on which a command works, in its present state: nothing is migrated. */
export interface CommandDatabase {
  /** A secret. */
  url: string;
  /** The owner: a configured PostgreSQL, the running server, or this command, for which it was started. */
  origin: 'external' | 'server' | 'command';
  /** Started for this command on a directory that had no database. */
  isNew: boolean;
  /** Ends what was started for the command. */
  stop(): Promise<void>;
}

/**
 * The configured database, or the embedded one: of the running server, also of one that is just starting, else started
 * for the length of the command.
 */
export async function openCommandDatabase(config: Config, log: Logger): Promise<CommandDatabase> {
  if (config.databaseUrl !== null) {
    return { url: config.databaseUrl.reveal(), origin: 'external', isNew: false, stop: async () => {} };
  }
  const giveUpAt = performance.now() + SERVER_START_TIMEOUT_MS;
  for (;;) {
    const url = runningEmbeddedPostgresUrl(config.dataDir);
    if (url !== null) return { url, origin: 'server', isNew: false, stop: async () => {} };
    try {
      return await startOwnDatabase(config, log);
    } catch (error) {
      const isLocked = error instanceof EmbeddedPostgresError && error.code === 'data_directory_locked';
      if (!isLocked || performance.now() > giveUpAt) throw error;
    }
    await delay(SERVER_START_POLL_MS);
  }
}

/** The embedded database, which no server may be running on. */
export async function startOwnDatabase(config: Config, log: Logger): Promise<CommandDatabase> {
  const isNew = !existsSync(clusterPaths(config.dataDir).clusterDir);
  const { url, stop } = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (level, message, fields) => log[level](fields ?? {}, message),
  });
  return { url, origin: 'command', isNew, stop };
}
