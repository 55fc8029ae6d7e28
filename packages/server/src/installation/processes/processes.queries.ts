import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** The state that a process reports about itself. */
interface ProcessState {
  processId: string;
  role: 'api' | 'worker';
  pid: number;
  host: string;
  version: string;
  startedAtMs: number;
  rssBytes: number;
  /** Failed operations of the object store within the last hour. */
  objectFailures: number;
}

export async function writeProcess(database: Queryable, state: ProcessState): Promise<void> {
  await database.query(
    sql(
      'process-write',
    )`insert into processes (process_id, role, pid, host, version, started_at, rss_bytes, object_failures)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (process_id) do update set rss_bytes = excluded.rss_bytes,
          object_failures = excluded.object_failures, seen_at = excluded.seen_at`,
    [
      state.processId,
      state.role,
      state.pid,
      state.host,
      state.version,
      new Date(state.startedAtMs),
      state.rssBytes,
      state.objectFailures,
    ],
  );
}

export const deleteProcess = statement.run<[processId: string]>(
  'process-remove',
  'delete from processes where process_id = $1',
);

/** A process that was heard of lately; times are milliseconds since the epoch. */
interface LiveProcess {
  role: 'api' | 'worker';
  pid: number;
  host: string;
  version: string;
  started_at: number;
  rss_bytes: number;
  object_failures: number;
  seen_at: number;
}

/** Those that were heard of within so many seconds, by role and age. */
export const listProcesses = statement.many<[withinSeconds: number], LiveProcess>(
  'processes-list',
  `select role, pid, host, version, started_at, rss_bytes, object_failures, seen_at from processes
    where seen_at > culprit_now() - make_interval(secs => $1) order by role, started_at, process_id limit 200`,
);
