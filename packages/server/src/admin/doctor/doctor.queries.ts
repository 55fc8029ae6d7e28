import type { Queryable } from '../../platform/db/database.ts';

export interface QueueState {
  lane: string;
  /** Due and held by nobody. */
  waiting: number;
  oldest_seconds: number;
}

/** Lanes with jobs that are due, the one that waits longest first. */
export async function readQueue(database: Queryable): Promise<QueueState[]> {
  return await database.query<QueueState>({
    name: 'doctor-queue',
    text: `select lane, count(*) as waiting, extract(epoch from culprit_now() - min(run_at))::float8 as oldest_seconds
      from jobs where run_at <= culprit_now() and (leased_until is null or leased_until < culprit_now())
      group by lane order by 3 desc`,
  });
}

export interface DeliveryState {
  failing_webhooks: number;
  failed_deliveries: number;
  failed_alerts: number;
}

/** Receivers that fail now, and what was given up during the last day. */
export async function readDeliveries(database: Queryable): Promise<DeliveryState> {
  const [row] = await database.query<DeliveryState>({
    name: 'doctor-deliveries',
    text: `select
        (select count(*) from webhooks where failed_attempts > 0 and is_enabled) as failing_webhooks,
        (select count(*) from webhook_deliveries
          where status = 'failed' and last_attempted_at > culprit_now() - interval '1 day') as failed_deliveries,
        (select count(*) from alert_messages
          where status = 'failed' and last_attempted_at > culprit_now() - interval '1 day') as failed_alerts`,
  });
  return row ?? { failing_webhooks: 0, failed_deliveries: 0, failed_alerts: 0 };
}

/** The oldest transaction of this database, backups aside; null when none is open. */
export async function readOldestTransaction(
  database: Queryable,
): Promise<{ application_name: string; seconds: number } | null> {
  const [row] = await database.query<{ application_name: string; seconds: number }>({
    name: 'doctor-oldest-transaction',
    text: `select application_name, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
      from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
        and backend_type = 'client backend' and application_name <> 'culprit-backup'
      order by xact_start limit 1`,
  });
  return row ?? null;
}

/** The clock of the database's machine, in milliseconds since the epoch. */
export async function readDatabaseClockMs(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now: number }>({
    name: 'doctor-clock',
    text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  });
  return row?.now ?? Number.NaN;
}

export interface DiskUse {
  database_bytes: number;
  event_days: number;
  event_bytes: number;
  largest_day: string | null;
  largest_day_bytes: number;
}

/** What the database and its partitions of events take. */
export async function readDiskUse(database: Queryable): Promise<DiskUse | null> {
  const [row] = await database.query<DiskUse>({
    name: 'doctor-disk-use',
    text: `with days as materialized (
        select p.day, pg_total_relation_size(p.partition) as bytes from event_partitions(null, 'infinity') p
      )
      select pg_database_size(current_database()) as database_bytes, (select count(*) from days) as event_days,
        (select coalesce(sum(bytes), 0)::bigint from days) as event_bytes, d.day::text as largest_day,
        coalesce(d.bytes, 0)::bigint as largest_day_bytes
      from (select) one left join lateral (select * from days order by bytes desc limit 1) d on true`,
  });
  return row ?? null;
}
