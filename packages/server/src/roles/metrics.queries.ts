import type { Database } from '../platform/db/database.ts';
import { sql } from '../platform/db/statement.ts';
import { LANES, ROW_QUEUES } from './lanes.ts';

/** Every word that a lane has in the metrics, besides `other` for lanes of another release. */
export const MEASURED_LANES: readonly string[] = [...LANES, ...ROW_QUEUES].map(({ name }) => name);

/** The server cancels a statement that runs longer. */
const STATEMENT_TIMEOUT = '2s';

/** The state of the service, according to the database. */
export interface DatabaseInspection {
  lanes: { lane: string; waiting: number; due: number; oldestDueSeconds: number }[];
  deadLetters: number;
  /** The dead rows of the queue table, by the statistics of the server. */
  deadRows: number;
  oldestTransactionSeconds: number;
}

/** Looks at the queue and the transactions: a few short scans, under a time limit on the server. */
export async function inspectDatabase(database: Database): Promise<DatabaseInspection> {
  return await database.transaction(async (transaction) => {
    await transaction.query(sql('metrics-limit')`select set_config('statement_timeout', $1, true)`, [
      STATEMENT_TIMEOUT,
    ]);
    const lanes = await transaction.query<LaneRow>(LANES_STATEMENT, [[...MEASURED_LANES]]);
    const [rest] = await transaction.query<RestRow>(REST);
    return {
      lanes: lanes.map((row) => ({
        lane: row.lane,
        waiting: row.waiting,
        due: row.due,
        oldestDueSeconds: row.oldest_due_seconds,
      })),
      deadLetters: rest?.dead_letters ?? 0,
      deadRows: rest?.dead_rows ?? 0,
      oldestTransactionSeconds: rest?.oldest_transaction_seconds ?? 0,
    };
  });
}

interface LaneRow {
  lane: string;
  waiting: number;
  due: number;
  oldest_due_seconds: number;
}

const ROW_QUEUE_PARTS = ROW_QUEUES.map(
  ({ name, waiting }) => `union all select '${name}', due_at from (${waiting}) as rows_waiting`,
);

const LANES_STATEMENT = sql('metrics-lanes')`
    with moment as materialized (select culprit_now() as now), waiting as (
      select case when lane = any ($1) then lane else 'other' end as lane, run_at as due_at from jobs
      ${ROW_QUEUE_PARTS.join('\n      ')}
    )
    select lane, count(*)::float8 as waiting, count(*) filter (where due_at <= now)::float8 as due,
      greatest(0, extract(epoch from now - min(due_at)))::float8 as oldest_due_seconds
    from waiting, moment group by lane, now`;

interface RestRow {
  dead_letters: number;
  dead_rows: number;
  oldest_transaction_seconds: number;
}

const REST = sql('metrics-rest')`
    select (select count(*) from dead_letters)::float8 as dead_letters,
      (select n_dead_tup from pg_stat_user_tables where relid = 'jobs'::regclass)::float8 as dead_rows,
      (select coalesce(extract(epoch from clock_timestamp() - min(xact_start)), 0) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid())::float8 as oldest_transaction_seconds`;
