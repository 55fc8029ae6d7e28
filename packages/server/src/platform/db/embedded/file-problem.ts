import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** Turns a failed file operation below the data directory into the sentence an operator can act on. */
export function fileProblem(error: unknown, path: string): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new EmbeddedPostgresError('disk_full', diskFullMessage(path));
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const user = process.getuid === undefined ? 'this user' : `user id ${process.getuid()}`;
    return new EmbeddedPostgresError(
      'data_directory_unwritable',
      `${path} cannot be written by ${user} (${code}). Correct its permissions, or choose another directory with CULPRIT_DATA_DIR.`,
    );
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new EmbeddedPostgresError(
      'data_directory_unwritable',
      `${path} cannot be used (${code}): a part of the path is a file. Choose another directory with CULPRIT_DATA_DIR.`,
    );
  }
  if (error instanceof EmbeddedPostgresError) {
    return error;
  }
  if (typeof code === 'string' && !code.startsWith('ERR_')) {
    return new EmbeddedPostgresError(
      'data_directory_unsuitable',
      `${path} cannot be used (${code}): the file system there cannot hold a database. Choose a directory on a local disk of this machine with CULPRIT_DATA_DIR.`,
    );
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Returns the sentence about a full disk, which is the same for every caller. */
export function diskFullMessage(path: string): string {
  return `No space is left for ${path}. Free some on that volume, or choose another directory with CULPRIT_DATA_DIR, and start again.`;
}
