import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { type Config, ConfigError, readConfig } from '../../platform/config.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { clusterPaths } from '../../platform/db/embedded/cluster.ts';
import { runningEmbeddedPostgresUrl } from '../../platform/db/embedded/embedded-postgres.ts';
import { readMigrations } from '../../platform/db/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../roles/migrations-folder.ts';
import { openCommandDatabase } from '../open-database.ts';
import { checkDatabase } from './check-database.ts';
import { checkDataDirectory, checkNode } from './check-machine.ts';
import { checkBaseUrl, checkMail, checkObjectStore } from './check-surroundings.ts';
import { type Finding, failureText, ok, warning, wrong } from './finding.ts';

/** Looks at everything that an installation needs, whether its server runs or not, and changes nothing. */
export async function examine(env: Record<string, string | undefined>, log: Logger): Promise<Finding[]> {
  const node = checkNode(process.versions.node);
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Without settings nobody knows where to look.
    const todo = 'correct it: docs/configuration.md lists every setting';
    return [node, ...error.problems.map((problem) => wrong('settings', problem, todo))];
  }
  const settings =
    config.warnings.length === 0
      ? [ok('settings', 'can be used')]
      : config.warnings.map((text) => warning('settings', text, 'nothing, if it is meant'));
  const directory = await checkDataDirectory(config);
  const isExternal = config.databaseUrl !== null;
  const isServerExpected = isExternal || isEmbeddedRunning(config);
  return [
    node,
    ...settings,
    ...directory,
    ...(await examineDatabase(config, isServerExpected, log)),
    await checkObjectStore(config),
    await checkMail(config),
    isServerExpected
      ? await checkBaseUrl(config)
      : warning('base URL', 'was not asked, because the server does not run', 'npm start'),
  ];
}

function isEmbeddedRunning(config: Config): boolean {
  try {
    return runningEmbeddedPostgresUrl(config.dataDir) !== null;
  } catch {
    // Files that cannot be read are found by the other looks.
    return false;
  }
}

async function examineDatabase(config: Config, isServerExpected: boolean, log: Logger): Promise<Finding[]> {
  if (config.databaseUrl === null && !existsSync(clusterPaths(config.dataDir).clusterDir)) {
    return [warning('database', 'is not there yet', 'nothing: the first start makes it')];
  }
  try {
    const { url, stop } = await openCommandDatabase(config, log);
    const database = openDatabase({
      url,
      connectionsMax: 1,
      connectTimeoutMs: 10_000,
      applicationName: 'culprit-doctor',
    });
    try {
      return await checkDatabase({
        database,
        migrations: await readMigrations(MIGRATIONS_FOLDER),
        isVouchedFor: config.isDatabaseDurabilityVouched,
        isServerExpected,
      });
    } finally {
      await database.close();
      await stop();
    }
  } catch (error) {
    return [wrong('database', `cannot be used: ${failureText(error)}`, 'look into the log of the server')];
  }
}
