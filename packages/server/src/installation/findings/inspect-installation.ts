import type { Config } from '../../platform/config/config.ts';
import { checkDataDirectory, checkNode } from './check-machine.ts';
import { checkBaseUrl, checkMail, checkObjectStore } from './check-surroundings.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The settings that say what an installation consists of. */
export type InstallationSettings = Pick<
  Config,
  | 'warnings'
  | 'databaseUrl'
  | 'isDatabaseDurabilityVouched'
  | 'isCanaryOn'
  | 'dataDir'
  | 'objectStore'
  | 'freeSpaceMinBytes'
  | 'emailTransport'
  | 'smtpUrl'
  | 'emailFrom'
  | 'baseUrl'
  | 'isBaseUrlLoopback'
  | 'operators'
>;

/** The findings about the surroundings of the database: those before and those after it in the list. */
interface Surroundings {
  before: Finding[];
  after: Finding[];
}

/**
 * Everything but the database: this machine, the settings, and what is reached over the network. It takes as long as
 * the slowest of them answers, writes an object and removes it, and signs in at the mail server.
 * @param isServerExpected false where it is known that no server runs
 */
export async function inspectSurroundings(
  settings: InstallationSettings,
  isServerExpected: boolean,
): Promise<Surroundings> {
  const hasFiles = settings.objectStore.kind === 'files';
  const [directory, store, mail, baseUrl] = await Promise.all([
    settings.databaseUrl !== null && !hasFiles ? [] : checkDataDirectory(settings),
    checkObjectStore(settings),
    checkMail(settings),
    isServerExpected
      ? checkBaseUrl(settings)
      : warning('base URL', 'was not checked, because the server is not running', 'npm start'),
  ]);
  return {
    before: [checkNode(process.versions.node), ...settingsFindings(settings), ...directory],
    after: [store, mail, baseUrl],
  };
}

/** Returns the warnings of the settings themselves. */
export function settingsFindings({ warnings }: Pick<InstallationSettings, 'warnings'>): Finding[] {
  return warnings.length === 0
    ? [ok('settings', 'can be used')]
    : warnings.map((text) => warning('settings', text, 'nothing, if it is intended'));
}

/** The one list that the doctor prints and the operator page shows. */
export function wholeList({ before, after }: Surroundings, ofDatabase: readonly Finding[]): Finding[] {
  return [...before, ...ofDatabase, ...after];
}
