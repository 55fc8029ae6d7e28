/** Stable names of everything that can keep the embedded database from running. */
export type EmbeddedPostgresErrorCode =
  | 'binaries_missing'
  | 'binaries_unusable'
  | 'root_not_possible'
  | 'data_directory_locked'
  | 'data_directory_unwritable'
  | 'data_directory_unsuitable'
  | 'disk_full'
  | 'wrong_owner'
  | 'version_mismatch'
  | 'cluster_incomplete'
  | 'cluster_damaged'
  | 'initialization_failed'
  | 'orphan_not_stopped'
  | 'port_unavailable'
  | 'socket_unavailable'
  | 'still_in_use'
  | 'not_ready_in_time'
  | 'start_failed';

/**
 * Why the embedded database does not run. The message is written for the operator and says what to do;
 * `logLines` holds the last words of PostgreSQL where there were any.
 */
export class EmbeddedPostgresError extends Error {
  readonly code: EmbeddedPostgresErrorCode;
  readonly logLines: readonly string[];

  constructor(code: EmbeddedPostgresErrorCode, message: string, logLines: readonly string[] = []) {
    super(logLines.length === 0 ? message : `${message}\nLast lines of its log:\n  ${logLines.join('\n  ')}`);
    this.name = 'EmbeddedPostgresError';
    this.code = code;
    this.logLines = logLines;
  }
}
