import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { isAbsence, systemErrorCode } from '../../platform/objects/file-operations.ts';
import { guardBytes, hasEnoughSpace } from '../../platform/objects/free-space.ts';
import { bytesText, type Finding, failureText, ok, warning, wrong } from './finding.ts';

const NODE_MAJOR_MIN = 24;
const DATA_DIRECTORY = 'data directory';

export function checkNode(version: string): Finding {
  const major = Number(version.split('.')[0]);
  return major >= NODE_MAJOR_MIN
    ? ok('Node', `runs on Node ${version}`)
    : wrong('Node', `runs on Node ${version}`, `start it with Node ${NODE_MAJOR_MIN} or newer`);
}

/**
 * Checks that the directory exists, is ours, can be written and has space. One that is absent is created by the server.
 */
export async function checkDataDirectory(
  config: Pick<Config, 'dataDir' | 'freeSpaceMinBytes'>,
): Promise<Finding[]> {
  const { dataDir } = config;
  try {
    const { uid } = await stat(dataDir);
    const own = process.getuid?.() ?? uid;
    const rights: Finding[] = [];
    if (uid !== own) {
      rights.push(
        wrong(
          DATA_DIRECTORY,
          `${dataDir} belongs to user id ${uid}, and this is user id ${own}`,
          'run server and commands as its owner, or correct CULPRIT_DATA_DIR',
        ),
      );
    }
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    if (rights.length === 0) rights.push(ok(DATA_DIRECTORY, `${dataDir} can be written`));
    return [...rights, ...(await checkDataKey(dataDir)), await checkSpace(config)];
  } catch (error) {
    if (isAbsence(error)) {
      return [
        warning(
          DATA_DIRECTORY,
          `${dataDir} does not exist`,
          'nothing, if the server was never started; otherwise correct CULPRIT_DATA_DIR',
        ),
      ];
    }
    return [
      wrong(
        DATA_DIRECTORY,
        `${dataDir} cannot be used: ${systemErrorCode(error) ?? failureText(error)}`,
        'give the user of the server the right to read and write it',
      ),
    ];
  }
}

async function checkSpace({
  dataDir,
  freeSpaceMinBytes,
}: Pick<Config, 'dataDir' | 'freeSpaceMinBytes'>): Promise<Finding> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(dataDir);
  const freeBytes = bavail * bsize;
  const space = {
    freeBytes,
    totalBytes: blocks * bsize,
    freeFiles: files > 0 ? ffree : null,
    totalFiles: files > 0 ? files : null,
  };
  const what = `${bytesText(freeBytes)} are free on the volume of the data directory`;
  return hasEnoughSpace(space, freeSpaceMinBytes)
    ? ok('free space', what)
    : wrong(
        'free space',
        `only ${what}, so events are answered 503; it needs ${bytesText(guardBytes(space, freeSpaceMinBytes))} and 5 % of the file entries`,
        'free some space, or shorten CULPRIT_RETENTION_RAW_DAYS and CULPRIT_RETENTION_INCIDENT_DAYS',
      );
}

async function checkDataKey(dataDir: string): Promise<Finding[]> {
  const path = join(dataDir, 'data-key');
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) === 0) return [];
    return [wrong('data key', `${path} can be read by others`, `chmod 600 ${path}`)];
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
