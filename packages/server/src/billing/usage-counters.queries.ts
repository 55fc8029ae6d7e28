import type { Queryable } from '../platform/db/database.ts';
import { EVENTS_METER, type Meter, type MonthlyMeter } from './meters.ts';

/** Counters of an organization's windows. A new window has new counters, so that a reset needs no job. */

/** Counts where nothing is refused. */
export async function addUsage(
  transaction: Queryable,
  organizationId: string,
  windowStartMs: number,
  meter: MonthlyMeter,
  count: number,
): Promise<void> {
  await transaction.query(
    {
      name: 'usage-add',
      text: `insert into usage_counters as u (organization_id, window_started_at, meter, used) values ($1, $2, $3, $4)
        on conflict (organization_id, window_started_at, meter) do update set used = u.used + excluded.used`,
    },
    [organizationId, new Date(windowStartMs), meter, count],
  );
}

/** Counts up to a limit, all or nothing, in one conditional update; false when it would be passed. */
export async function addUsageWithin(
  transaction: Queryable,
  organizationId: string,
  windowStartMs: number,
  meter: Meter,
  count: number,
  limit: number,
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'usage-add-within',
      text: `insert into usage_counters as u (organization_id, window_started_at, meter, used)
        select $1::uuid, $2::timestamptz, $3::text, $4::bigint where $4::bigint <= $5::bigint
        on conflict (organization_id, window_started_at, meter) do update set used = u.used + excluded.used
          where u.used + excluded.used <= $5::bigint
        returning used`,
    },
    [organizationId, new Date(windowStartMs), meter, count, limit],
  );
  return rows.length > 0;
}

/** What is used of a meter in a window. */
export async function findUsage(
  database: Queryable,
  organizationId: string,
  windowStartMs: number,
  meter: Meter,
): Promise<number> {
  const [row] = await database.query<{ used: number }>(
    {
      name: 'usage-find',
      text: `select used from usage_counters
        where organization_id = $1 and window_started_at = $2 and meter = $3`,
    },
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
    {
      name: 'usage-counted',
      text: `(select window_started_at, meter, used from usage_counters
          where organization_id = $1 and window_started_at = $2 and meter <> $3)
        union all
        (select window_started_at, meter, used from usage_counters
          where organization_id = $1 and meter = $3
          order by window_started_at desc limit ${EVENT_WINDOWS_MAX})`,
    },
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
 * no change gives an allowance twice (account.md 6.4). Runs under the lock of `lockPlanRecord`.
 * @param eventsUsed what earlier windows left over included
 */
export async function carryUsage(
  transaction: Queryable,
  organizationId: string,
  windows: { fromStartMs: number; toStartMs: number },
  eventsUsed: number,
): Promise<void> {
  await transaction.query(
    {
      name: 'usage-carry',
      text: `insert into usage_counters as u (organization_id, window_started_at, meter, used)
        select $1::uuid, $3::timestamptz, meter, used from (
          select meter, used from usage_counters
            where organization_id = $1 and window_started_at = $2 and meter <> $4::text
          union all
          select $4::text, $5::bigint where $5::bigint > 0
            or exists (select from usage_counters
              where organization_id = $1 and window_started_at = $3 and meter = $4::text)
        ) as carried order by meter
        on conflict (organization_id, window_started_at, meter) do update set used = excluded.used`,
    },
    [organizationId, new Date(windows.fromStartMs), new Date(windows.toStartMs), EVENTS_METER, eventsUsed],
  );
}
