import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import { EVENTS_METER, type Meter, type MonthlyMeter } from './meters.ts';

/** Counters of an organization's windows. A new window has new counters, so that a reset needs no job. */

/** Counts usage when nothing is refused and the new total is not needed. */
export function noteUsage(
  transaction: Transaction,
  organizationId: string,
  windowStartMs: number,
  meter: MonthlyMeter,
  count: number,
): void {
  transaction.send(ADD_USAGE, [organizationId, new Date(windowStartMs), meter, count]);
}

/** Counts where nothing is refused. Returns what is used now, as far as the counter knows. */
export async function addUsage(
  transaction: Transaction,
  organizationId: string,
  windowStartMs: number,
  meter: MonthlyMeter,
  count: number,
): Promise<number> {
  const [row] = await transaction.query<{ used: number }>(ADD_USAGE, [
    organizationId,
    new Date(windowStartMs),
    meter,
    count,
  ]);
  if (row === undefined) throw new Error('counting gave no row');
  return row.used;
}

const ADD_USAGE = sql(
  'usage-add',
)`insert into usage_counters as u (organization_id, window_started_at, meter, used) values ($1, $2, $3, $4)
    on conflict (organization_id, window_started_at, meter) do update set used = u.used + excluded.used
    returning u.used + u.carried as used`;

/**
 * Counts up to a limit, all or nothing, in one conditional update. Returns what is used now; null when the limit would
 * be passed.
 */
export async function addUsageWithin(
  transaction: Transaction,
  organizationId: string,
  windowStartMs: number,
  meter: Meter,
  count: number,
  limit: number,
): Promise<number | null> {
  const [row] = await transaction.query<{ used: number }>(
    sql('usage-add-within')`insert into usage_counters as u (organization_id, window_started_at, meter, used)
        select $1::uuid, $2::timestamptz, $3::text, $4::bigint where $4::bigint <= $5::bigint
        on conflict (organization_id, window_started_at, meter) do update set used = u.used + excluded.used
          where u.used + excluded.used <= $5::bigint
        returning used`,
    [organizationId, new Date(windowStartMs), meter, count, limit],
  );
  return row?.used ?? null;
}

/**
 * Counts as much as fits below a limit, at most `count`. If not all of it fits, the counter is locked before the rest
 * is computed, so that no other call counts in between.
 */
export async function addUsageUpTo(
  transaction: Transaction,
  organizationId: string,
  windowStartMs: number,
  meter: Meter,
  count: number,
  limit: number,
): Promise<{ used: number; granted: number }> {
  const whole = await addUsageWithin(transaction, organizationId, windowStartMs, meter, count, limit);
  if (whole !== null) return { used: whole, granted: count };
  const [locked] = await transaction.query<{ used: number }>(
    sql(
      'usage-lock-or-insert',
    )`insert into usage_counters as u (organization_id, window_started_at, meter, used)
        values ($1, $2, $3, 0)
        on conflict (organization_id, window_started_at, meter) do update set used = u.used
        returning used`,
    [organizationId, new Date(windowStartMs), meter],
  );
  if (locked === undefined) throw new Error('a locked counter gave no row');
  const granted = Math.max(0, Math.min(limit - locked.used, count));
  if (granted === 0) return { used: locked.used, granted };
  const used = await addUsageWithin(transaction, organizationId, windowStartMs, meter, granted, limit);
  if (used === null) throw new Error('another transaction changed a locked counter');
  return { used, granted };
}

/** Returns the usage of a meter in a window. */
export async function findUsage(
  database: Queryable,
  organizationId: string,
  windowStartMs: number,
  meter: Meter,
): Promise<number> {
  const [row] = await database.query<{ used: number }>(
    sql('usage-find')`select used from usage_counters
        where organization_id = $1 and window_started_at = $2 and meter = $3`,
    [organizationId, new Date(windowStartMs), meter],
  );
  return row?.used ?? 0;
}

/** Counted use: the meters of one window, and of events that of each window by its start. */
export interface CountedUsage {
  ofWindow: ReadonlyMap<string, number>;
  eventsByWindow: ReadonlyMap<number, number>;
}

/** Windows of events that are read, far more than an excess reaches back. */
const EVENT_WINDOWS_MAX = 240;

export async function findCountedUsage(
  database: Queryable,
  organizationId: string,
  windowStartMs: number,
): Promise<CountedUsage> {
  const rows = await database.query<{ window_started_at: number; meter: string; used: number }>(
    sql('usage-counted')`(select window_started_at, meter, used from usage_counters
          where organization_id = $1 and window_started_at = $2 and meter <> $3)
        union all
        (select window_started_at, meter, used from usage_counters
          where organization_id = $1 and meter = $3
          order by window_started_at desc limit ${EVENT_WINDOWS_MAX})`,
    [organizationId, new Date(windowStartMs), EVENTS_METER],
  );
  const isEvents = (row: { meter: string }) => row.meter === EVENTS_METER;
  return {
    ofWindow: new Map(rows.filter((row) => !isEvents(row)).map((row) => [row.meter, row.used])),
    eventsByWindow: new Map(rows.filter(isEvents).map((row) => [row.window_started_at, row.used])),
  };
}

/**
 * Writes what was used until a change of plan or units into the counters of the window that is current behind it:
 * no change gives an allowance twice (docs/contract/account.md 6.4). Runs under the lock of `lockPlanRecord`. Returns
 * the meters that were used.
 * @param eventsUsed what earlier windows left over included
 */
export async function carryUsage(
  transaction: Transaction,
  organizationId: string,
  windows: { fromStartMs: number; toStartMs: number },
  eventsUsed: number,
): Promise<MonthlyMeter[]> {
  const rows = await transaction.query<{ meter: MonthlyMeter }>(
    sql('usage-carry')`insert into usage_counters as u (organization_id, window_started_at, meter, used)
        select $1::uuid, $3::timestamptz, meter, used from (
          select meter, used from usage_counters
            where organization_id = $1 and window_started_at = $2 and meter <> $4::text
          union all
          select $4::text, $5::bigint where $5::bigint > 0
            or exists (select from usage_counters
              where organization_id = $1 and window_started_at = $3 and meter = $4::text)
        ) as carried order by meter
        on conflict (organization_id, window_started_at, meter) do update set used = excluded.used, carried = 0
        returning meter`,
    [organizationId, new Date(windows.fromStartMs), new Date(windows.toStartMs), EVENTS_METER, eventsUsed],
  );
  return rows.map(({ meter }) => meter);
}

/** A counter with the facts that a notice to the owner needs. */
interface NoticedCounter {
  used: number;
  /** The highest percentage about which the owner was notified. */
  noticedPercent: number;
}

/** Locks a counter, so that nothing is counted in the meantime; null when nothing was counted yet. */
export async function lockCounter(
  transaction: Transaction,
  organizationId: string,
  windowStartMs: number,
  meter: MonthlyMeter,
): Promise<NoticedCounter | null> {
  const [row] = await transaction.query<NoticedCounter>(
    sql('usage-lock')`select used, noticed_percent as "noticedPercent" from usage_counters
        where organization_id = $1 and window_started_at = $2 and meter = $3 for no key update`,
    [organizationId, new Date(windowStartMs), meter],
  );
  return row ?? null;
}

/** Writes the notified percentage and the excess of earlier windows into a locked counter. */
export async function updateCounter(
  transaction: Transaction,
  organizationId: string,
  windowStartMs: number,
  meter: MonthlyMeter,
  state: { carried: number; noticedPercent: number },
): Promise<void> {
  await transaction.query(
    sql('usage-notice')`update usage_counters set carried = $4, noticed_percent = $5
        where organization_id = $1 and window_started_at = $2 and meter = $3`,
    [organizationId, new Date(windowStartMs), meter, state.carried, state.noticedPercent],
  );
}

/** Deletes the usage of an organization of the service itself: it is not metered. */
export const deleteUsage = inTransaction.run<[organizationId: string]>(
  'usage-delete',
  'delete from usage_counters where organization_id = $1',
);
