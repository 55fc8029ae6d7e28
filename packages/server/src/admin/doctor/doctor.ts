import { existsSync, statSync } from 'node:fs';
import type { Logger } from 'pino';
import { checkDatabase, databaseTodo } from '../../installation/findings/check-database.ts';
import { checkNode } from '../../installation/findings/check-machine.ts';
import { checkMaps } from '../../installation/findings/check-maps.ts';
import { checkMail, checkObjectStore } from '../../installation/findings/check-surroundings.ts';
import { type Finding, failureText, warning, wrong } from '../../installation/findings/finding.ts';
import {
  inspectSurroundings,
  settingsFindings,
  wholeList,
} from '../../installation/findings/inspect-installation.ts';
import { type Config, ConfigError, readConfig } from '../../platform/config/config.ts';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { clusterPaths } from '../../platform/db/embedded/cluster.ts';
import { runningEmbeddedPostgresUrl } from '../../platform/db/embedded/embedded-postgres.ts';
import { readMigrations } from '../../platform/db/migrate.ts';
import { openObjectStore } from '../../platform/objects/open-object-store.ts';
import { MIGRATIONS_FOLDER } from '../../roles/migrations-folder.ts';
import { openCommandDatabase } from '../open-database.ts';

/** Looks at everything that an installation needs, whether its server runs or not, and changes nothing. */
export async function examine(env: Record<string, string | undefined>, log: Logger): Promise<Finding[]> {
  const node = checkNode(process.versions.node);
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Without settings the places to check are unknown.
    const todo = 'correct it: docs/configuration.md lists every setting';
    return [node, ...error.problems.map((problem) => wrong('settings', problem, todo))];
  }
  const isExternal = config.databaseUrl !== null;
  const isServerExpected = isExternal || isEmbeddedRunning(config);
  const hasFiles = config.objectStore.kind === 'files';
  if (!isExternal && !isServerExpected && isAbsent(config.dataDir)) {
    // The parts of a missing installation are not examined.
    const finding = warning(
      'installation',
      `there is none in ${config.dataDir} yet`,
      'npm start makes it; if there is one elsewhere, correct CULPRIT_DATA_DIR',
    );
    const store = hasFiles ? [] : [await checkObjectStore(config)];
    return [node, ...settingsFindings(config), finding, ...store, await checkMail(config)];
  }
  const surroundings = await inspectSurroundings(config, isServerExpected);
  return wholeList(surroundings, await examineDatabase(config, isServerExpected, log));
}

function isAbsent(dataDir: string): boolean {
  return statSync(dataDir, { throwIfNoEntry: false }) === undefined;
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
      const findings = await checkDatabase({
        database,
        migrations: await readMigrations(MIGRATIONS_FOLDER),
        settings: config,
        isServerExpected,
      });
      // The tables of another release are not looked into.
      const isCurrent = findings.some(({ check, state }) => check === 'schema' && state === 'ok');
      return isCurrent ? [...findings, ...(await examineMaps(config, database))] : findings;
    } finally {
      await database.close();
      await stop();
    }
  } catch (error) {
    return [
      wrong('database', `cannot be used: ${failureText(error)}`, databaseTodo(config.databaseUrl !== null)),
    ];
  }
}

async function examineMaps(config: Config, database: Database): Promise<Finding[]> {
  const { objectStore: place, areMapsOn: isOn, mapBudgetBytes: budgetBytes } = config;
  // A folder that is not there would be made.
  const isThere = place.kind === 's3' || !isAbsent(place.directory);
  const objects = isThere ? await openObjectStore(place).catch(() => null) : null;
  return await checkMaps({ database, objects, maps: { isOn, budgetBytes } });
}
