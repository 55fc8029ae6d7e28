import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

interface QueueState {
  lane: string;
  /** The number of jobs that are due and not claimed. */
  waiting: number;
  oldest_seconds: number;
}

/** Lanes with jobs that are due, the one that waits longest first. */
export const readQueue = statement.many<[], QueueState>(
  'findings-queue',
  `select lane, count(*) as waiting, extract(epoch from culprit_now() - min(run_at))::float8 as oldest_seconds
    from jobs where run_at <= culprit_now() and (leased_until is null or leased_until < culprit_now())
    group by lane order by 3 desc`,
);

interface UnreadableState {
  batches: number;
  /** The error of the batch that was accepted first; null: none is unreadable. */
  error: string | null;
}

/** Batches of accepted events that wait because their objects cannot be read, after so many attempts. */
export async function readUnreadable(database: Queryable, attemptsMin: number): Promise<UnreadableState> {
  const [row] = await database.query<UnreadableState>(
    sql('findings-unreadable')`select count(*) as batches, (array_agg(last_error order by job_id))[1] as error
        from jobs where lane = 'events' and failures = 0 and attempt >= $1 and last_error is not null`,
    [attemptsMin],
  );
  return row ?? { batches: 0, error: null };
}

interface DeliveryState {
  failing_webhooks: number;
  failed_deliveries: number;
  failed_alerts: number;
}

/** Returns the receivers that fail now, and the deliveries that failed finally during the last day. */
export async function readDeliveries(database: Queryable): Promise<DeliveryState> {
  const [row] = await database.query<DeliveryState>(sql('findings-deliveries')`select
        (select count(*) from webhooks where failed_attempts > 0 and is_enabled) as failing_webhooks,
        (select count(*) from webhook_deliveries
          where status = 'failed' and last_attempted_at > culprit_now() - interval '1 day') as failed_deliveries,
        (select count(*) from alert_messages
          where status = 'failed' and last_attempted_at > culprit_now() - interval '1 day') as failed_alerts`);
  return row ?? { failing_webhooks: 0, failed_deliveries: 0, failed_alerts: 0 };
}

/** The oldest transaction of this database, backups aside; null when none is open. */
export const readOldestTransaction = statement.one<[], { application_name: string; seconds: number }>(
  'findings-oldest-transaction',
  `select application_name, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
    from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
      and backend_type = 'client backend' and application_name <> 'culprit-backup'
    order by xact_start limit 1`,
);

/** The clock of the database's machine, in milliseconds since the epoch. */
export async function readDatabaseClockMs(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now: number }>(
    sql('findings-clock')`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
  );
  return row?.now ?? Number.NaN;
}

interface DiskUse {
  database_bytes: number;
  event_days: number;
  event_bytes: number;
  largest_day: string | null;
  largest_day_bytes: number;
}

/** Returns the size of the database and of its partitions of events. */
export const readDiskUse = statement.one<[], DiskUse>(
  'findings-disk-use',
  `with days as materialized (
      select p.day, pg_total_relation_size(p.partition) as bytes from event_partitions(null, 'infinity') p
    )
    select pg_database_size(current_database()) as database_bytes, (select count(*) from days) as event_days,
      (select coalesce(sum(bytes), 0)::bigint from days) as event_bytes, d.day::text as largest_day,
      coalesce(d.bytes, 0)::bigint as largest_day_bytes
    from (select) one left join lateral (select * from days order by bytes desc limit 1) d on true`,
);

/** Returns the number of parked events, and the time since which the first of them is; milliseconds since the epoch. */
export async function readDeadLetters(
  database: Queryable,
): Promise<{ letters: number; oldest_at: number | null }> {
  const [row] = await database.query<{ letters: number; oldest_at: number | null }>(
    sql('findings-dead-letters')`select count(*) as letters, min(created_at) as oldest_at from dead_letters`,
  );
  return row ?? { letters: 0, oldest_at: null };
}

interface CanaryState {
  /** The stage that its last event did not reach; null: it arrived. */
  missing: string | null;
  /** The first failure since it last arrived, in milliseconds since the epoch. */
  failing_since: number | null;
  /** Since its last event; null: there was none. */
  seconds: number | null;
}

export async function readCanary(database: Queryable): Promise<CanaryState> {
  const [row] = await database.query<CanaryState>(sql(
    'findings-canary',
  )`select r.missing, extract(epoch from culprit_now() - r.ran_at)::float8 as seconds,
        (select min(f.ran_at) from canary_runs f where f.missing is not null and f.ran_at > coalesce(
          (select max(g.ran_at) from canary_runs g where g.missing is null), '-infinity')) as failing_since
      from canary_runs r order by r.ran_at desc limit 1`);
  return row ?? { missing: null, failing_since: null, seconds: null };
}

interface LastBackup {
  /** Milliseconds since the epoch. */
  finished_at: number;
  age_seconds: number;
  directory: string;
  size_bytes: number;
  missing_objects: number;
}

/** The last backup that was finished; null where none was. */
export const readLastBackup = statement.one<[], LastBackup>(
  'findings-backup',
  `select finished_at, extract(epoch from culprit_now() - finished_at)::float8 as age_seconds, directory,
      size_bytes, missing_objects
    from backups order by finished_at desc limit 1`,
);
