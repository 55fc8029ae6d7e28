import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { diskFullMessage } from './file-problem.ts';

/** The file itself, or the lock file beside it. A server that starts names the socket as well. */
const NO_SOCKET_FILE = /could not create any Unix-domain sockets|lock file "[^\n]*\/\.s\.PGSQL\./;

/** Explains why the server ended before it was ready, from what it said last. */
export function explainStartFailure(lines: readonly string[], clusterDir: string): EmbeddedPostgresError {
  const text = lines.join('\n');
  const says = (...phrases: string[]) => phrases.some((phrase) => text.includes(phrase));

  if (says('No space left on device', 'Disk quota exceeded')) {
    return new EmbeddedPostgresError('disk_full', diskFullMessage(clusterDir), lines);
  }
  if (NO_SOCKET_FILE.test(text)) {
    return new EmbeddedPostgresError(
      'socket_unavailable',
      `PostgreSQL could not create its socket file in ${clusterDir}.`,
      lines,
    );
  }
  if (says('Address already in use', 'could not create any TCP/IP sockets')) {
    return new EmbeddedPostgresError(
      'port_unavailable',
      'PostgreSQL found no free port on 127.0.0.1. Free some ports, or set CULPRIT_DATABASE_URL.',
      lines,
    );
  }
  if (says('pre-existing shared memory block', 'lock file "postmaster.pid" already exists')) {
    return new EmbeddedPostgresError(
      'still_in_use',
      `A PostgreSQL server is still using ${clusterDir}. Stop it, then start again.`,
      lines,
    );
  }
  if (says('database files are incompatible with server')) {
    return new EmbeddedPostgresError(
      'version_mismatch',
      `${clusterDir} was written by another PostgreSQL. Start the Culprit release that wrote it, or restore a backup into an empty data directory.`,
      lines,
    );
  }
  if (says('error while loading shared libraries', 'version `GLIBC_', 'cannot execute')) {
    return new EmbeddedPostgresError(
      'binaries_unusable',
      'The embedded PostgreSQL cannot be run here. Reinstall with npm ci, or set CULPRIT_DATABASE_URL.',
      lines,
    );
  }
  if (says('Permission denied', 'Read-only file system', 'has wrong ownership', 'has invalid permissions')) {
    return new EmbeddedPostgresError(
      'data_directory_unwritable',
      `PostgreSQL is not permitted to use ${clusterDir}. Its files must belong to the user that starts Culprit, the directory must have mode 0700 and its volume must be writable.`,
      lines,
    );
  }
  if (
    says(
      'could not locate a valid checkpoint record',
      'could not locate required checkpoint record',
      'PANIC',
      'invalid page in block',
      'pg_control',
    )
  ) {
    return new EmbeddedPostgresError(
      'cluster_damaged',
      `The database in ${clusterDir} is damaged. Keep a copy of the directory, check the disk, and restore the latest backup into an empty data directory.`,
      lines,
    );
  }
  return new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL did not start in ${clusterDir}. Its messages below show the cause; CULPRIT_DATABASE_URL selects another PostgreSQL.`,
    lines,
  );
}
