import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { createLogger } from '../platform/log.ts';
import { copyBeforeUpgrade } from '../roles/copy-before-upgrade.ts';
import { prepareDatabase } from '../roles/prepare-database.ts';
import { isEmptyDatabase, newInstallationText, targetText } from './command-target.ts';
import { openCommandDatabase } from './open-database.ts';

/** Creates the log of a command's progress, separate from its result. */
export function openCommandLog(): Logger {
  return createLogger({ level: 'warn', role: 'admin', toStandardError: true });
}

/**
 * Uses the configured or the running database, else starts the embedded one for the length of the command.
 * @param onOpened called with a sentence on what is used, before anything is changed, and with a warning where the
 *   command makes a new installation
 */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database, log: Logger) => Promise<Result>,
  onOpened: (sentence: string) => void = () => {},
): Promise<Result> {
  const log = openCommandLog();
  const opened = await openCommandDatabase(config, log);
  const { url, stop } = opened;
  try {
    onOpened(targetText(config, opened.origin));
    if (opened.isNew || (opened.origin === 'external' && (await isEmptyDatabase(url)))) {
      onOpened(newInstallationText(config));
    }
    await copyBeforeUpgrade(config, url, log);
    // Also beside a server: at its first start it may not have come this far yet, and waits for us or we for it.
    await prepareDatabase(url, {
      isVouchedFor: config.isDatabaseDurabilityVouched,
      log,
    });
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
