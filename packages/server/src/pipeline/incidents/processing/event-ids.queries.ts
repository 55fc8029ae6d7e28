import { binaryArray } from '../../../platform/db/binary-array.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Statements over the ids of events, by which repetitions are found (docs/contract/ingestion.md 3.8). */

/** Days of a project that are over, by their text (`2026-03-24`), each with its stamp. */
export type DayStamps = ReadonlyMap<string, string>;

/** A search for ids of events. */
export interface IdSearch {
  /** Ids that are looked for among all events received since then. */
  everywhere: readonly bigint[];
  fromMs: number;
  /** Ids that no filter of these days has. They are looked for behind the days, unless one has another stamp. */
  recent: readonly bigint[];
  filtered: DayStamps;
  recentFromMs: number;
}

/** The ids that a project has, and its days that are over. */
export interface FoundIds {
  known: ReadonlySet<bigint>;
  closed: DayStamps;
}

/** Until the transaction ends, no other one counts events of the project: it would not see the rows that this one adds. */
function holdIds(transaction: Transaction, projectId: string): void {
  transaction.send(
    sql(
      'event-ids-hold',
    )`select pg_advisory_xact_lock(hashtext('culprit.event.ids'), hashtext($1::uuid::text))`,
    [projectId],
  );
}

/** Returns the query for those of the ids that were received since then, which is at or after `$3`. */
function knownOf(ids: string, from: string): string {
  return `(select array_agg(h.id_hash::text) from unnest(${ids}::bigint[]) as h (id_hash)
        cross join lateral (
          (select from events e
            where e.id_hash = h.id_hash and e.project_id = $1
              and e.received_at >= $3::timestamptz and e.received_at >= ${from}
            limit 1)
          union all
          (select from event_ids e
            where e.project_id = $1 and e.id_hash = h.id_hash and e.received_at >= $3::timestamptz)
          limit 1
        ) k)`;
}

// The first bound of `knownOf` spares the partitions before it when the statement begins, the second one later.
const FIND_KNOWN = sql('event-ids-known')`
    with closed as materialized (
      select day::text as day, stamp::text as stamp from event_id_days where project_id = $1
    ), recent as (
      select case when (
          select count(*) from closed join unnest($5::text[], $6::text[]) as f (day, stamp) using (day, stamp)
        ) = cardinality($5::text[]) then $7::timestamptz else $3::timestamptz end as from_at
    )
    select (select json_object_agg(day, stamp) from closed) as closed,
      ${knownOf('$2', '$3::timestamptz')} as everywhere,
      ${knownOf('$4', '(select from_at from recent)')} as recent`;

/** Returns those of the ids that the project has, and keeps its events from other transactions until this one ends. */
export async function findKnownIds(
  transaction: Transaction,
  projectId: string,
  { everywhere, fromMs, recent, filtered, recentFromMs }: IdSearch,
): Promise<FoundIds> {
  if (everywhere.length + recent.length === 0) return { known: new Set(), closed: new Map() };
  holdIds(transaction, projectId);
  const [row] = await transaction.query<{
    closed: Record<string, string> | null;
    everywhere: string[] | null;
    recent: string[] | null;
  }>(FIND_KNOWN, [
    projectId,
    inOrder(everywhere),
    new Date(fromMs),
    inOrder(recent),
    [...filtered.keys()],
    [...filtered.values()],
    new Date(recentFromMs),
  ]);
  return {
    known: new Set([...(row?.everywhere ?? []), ...(row?.recent ?? [])].map(BigInt)),
    closed: new Map(Object.entries(row?.closed ?? {})),
  };
}

/** The pages of one id are those of the next. */
function inOrder(ids: readonly bigint[]): Buffer {
  return binaryArray(
    'bigint',
    [...ids].sort((a, b) => (a < b ? -1 : 1)),
  );
}

/** An event id that no row of an event has. */
export interface KeptId {
  idHash: bigint;
  receivedAtMs: number;
}

/** Remembers ids of events that get no row and that no incident counts. */
export function keepEventIds(transaction: Transaction, projectId: string, ids: readonly KeptId[]): void {
  if (ids.length === 0) return;
  transaction.send(
    sql('event-ids-keep')`insert into event_ids as e (project_id, id_hash, received_at, signal_key)
        select $1, k.id_hash, k.received_at, 0 from unnest($2::bigint[], $3::timestamptz[]) as k (id_hash, received_at)
        order by k.id_hash
        on conflict (project_id, id_hash) do update
          set received_at = excluded.received_at, signal_key = excluded.signal_key`,
    [
      projectId,
      binaryArray(
        'bigint',
        ids.map(({ idHash }) => idHash),
      ),
      binaryArray(
        'timestamptz',
        ids.map(({ receivedAtMs }) => receivedAtMs),
      ),
    ],
  );
}

/** The transaction adds events to days that are over: filters of these days no longer have all ids. */
export function changeStamps(transaction: Transaction, projectId: string, days: readonly string[]): void {
  if (days.length === 0) return;
  transaction.send(
    sql(
      'event-id-days-change',
    )`update event_id_days set stamp = gen_random_uuid() where project_id = $1 and day = any ($2::date[])`,
    [projectId, days],
  );
}

/**
 * Lists days of a project as over and returns their stamps. Transactions that did not see the list have ended then. Days
 * before the first one are removed. Empty for a project that was deleted.
 */
export async function closeDays(
  database: Database,
  projectId: string,
  days: readonly string[],
): Promise<DayStamps> {
  return await database.transaction(async (transaction) => {
    holdIds(transaction, projectId);
    const rows = await transaction.query<{ day: string; stamp: string }>(
      sql('event-id-days-close')`
          with live as materialized (
            select project_id from projects where project_id = $1 and deleted_at is null for key share
          ), removed as (
            delete from event_id_days d using live where d.project_id = live.project_id
              and d.day < (select min(day) from unnest($2::date[]) as day)
          )
          insert into event_id_days as d (project_id, day, stamp)
          select project_id, day, gen_random_uuid() from live cross join unnest($2::date[]) as day order by day
          on conflict (project_id, day) do update set stamp = d.stamp
          returning day::text as day, stamp::text as stamp`,
      [projectId, days],
    );
    return new Map(rows.map(({ day, stamp }) => [day, stamp]));
  });
}

/** Returns the number of blocks of a day's events; those of all projects. */
export async function countDayBlocks(database: Database, day: string): Promise<number> {
  const [row] = await database.query<{ blocks: number }>(
    sql(
      'event-day-blocks',
    )`select coalesce(sum(pg_relation_size(partition) / current_setting('block_size')::bigint), 0)::integer
          as blocks
        from event_partitions($1::date, $1::date + 1)`,
    [day],
  );
  return row?.blocks ?? 0;
}

/** Returns the ids of a project in some blocks of a day's events: 8 bytes each. */
export async function readDayIds(
  database: Database,
  projectId: string,
  day: string,
  blocks: { from: number; before: number },
): Promise<Buffer> {
  const [row] = await database.query<{ ids: Buffer | null }>(
    sql('event-day-ids')`select string_agg(int8send(id_hash), '') as ids from events
        where project_id = $1 and id_hash is not null
          and received_at >= $2::timestamptz and received_at < $2::timestamptz + interval '24 h'
          and ctid >= $3::tid and ctid < $4::tid`,
    [projectId, `${day}T00:00:00Z`, `(${blocks.from},0)`, `(${blocks.before},0)`],
  );
  return row?.ids ?? Buffer.alloc(0);
}
