import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { fileProblem } from './file-problem.ts';

const CHECK_DIRECTORY = 'file-system-check';

/**
 * Tries out what database, stored events and keys need of the file system, so that one that lacks it is refused with a
 * sentence instead of an error somewhere on the way. The caller must hold the data directory.
 *
 * Fails with `data_directory_unsuitable`, `data_directory_unwritable` or `disk_full`.
 */
export function checkFileSystem(dataDir: string): void {
  const directory = join(dataDir, CHECK_DIRECTORY);
  try {
    // Left behind by a start that was killed.
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { mode: 0o700 });
    const lack = lackOf(statSync(directory), process.getuid?.());
    if (lack !== null) {
      throw new EmbeddedPostgresError(
        'data_directory_unsuitable',
        `${dataDir} is on a file system that ${lack}, which a database needs. Choose a directory on a local disk of this machine with CULPRIT_DATA_DIR.`,
      );
    }
    const file = join(directory, 'file');
    writeDurably(file);
    // The data key is linked into place, a batch is renamed.
    linkSync(file, join(directory, 'link'));
    renameSync(file, join(directory, 'renamed'));
    syncAndClose(openSync(directory, 'r'));
  } catch (error) {
    throw fileProblem(error, dataDir);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Returns the defect of a file system that shows a directory of ours, created with mode 0700, with these rights; null
 * when it has none. Only the rights of others count: PostgreSQL refuses a directory that others can enter.
 */
export function lackOf(made: { mode: number; uid: number }, ownUid: number | undefined): string | null {
  if ((made.mode & 0o077) !== 0) return 'keeps no permissions';
  return ownUid !== undefined && made.uid !== ownUid ? 'keeps no owners' : null;
}

function writeDurably(path: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, 'culprit\n');
  } catch (error) {
    closeSync(file);
    throw error;
  }
  syncAndClose(file);
}

function syncAndClose(file: number): void {
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
