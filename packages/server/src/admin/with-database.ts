import type { Logger } from 'pino';
import type { Config } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { createLogger } from '../platform/log.ts';
import { copyBeforeUpgrade } from '../roles/copy-before-upgrade.ts';
import { prepareDatabase } from '../roles/prepare-database.ts';
import { openCommandDatabase } from './open-database.ts';

/** What happens on the way of a command, beside its result. */
export function openCommandLog(): Logger {
  return createLogger({ level: 'warn', role: 'admin', toStandardError: true });
}

/** Uses the configured or the running database, else starts the embedded one for the length of the command. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database, log: Logger) => Promise<Result>,
): Promise<Result> {
  const log = openCommandLog();
  const { url, stop } = await openCommandDatabase(config, log);
  try {
    await copyBeforeUpgrade(config, url, log);
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
