import { randomInt } from 'node:crypto';
import type { Parameter, Queryable, Statement } from '../db/database.ts';
import { sql } from '../db/statement.ts';

/**
 * A claim lasts this long by the database clock (docs/contract/notifications.md 3.11); an attempt takes less, or its claim
 * is extended.
 */
export const CLAIM_SECONDS = 30;

/** Receivers with waiting rows that one claim looks at. */
const RECEIVERS_PER_CLAIM = 500;
const SALT_MAX = 2 ** 31;

/** The duration class of the latest attempt to a receiver: column `latency_class` of its row. */
export type LatencyClass = 'unknown' | 'quick' | 'slow';

/** The number of attempts that can be claimed now (docs/contract/notifications.md 3.11, Parallel sends). */
export interface ClaimCapacity {
  all: number;
  /** The part of these that can go to receivers whose latest attempt was slow or that have had no attempt. */
  untested: number;
  /** The part of these that can go to receivers whose latest attempt was slow. */
  slow: number;
  /** The parallel attempts to one receiver, if its latest attempt was quick; the others get one at a time. */
  perReceiver: number;
  /** The part of these that can be concurrent with another attempt to the same receiver. */
  concurrent: number;
  /** Attempts to each receiver that this process has under way. */
  underWay: Readonly<Record<string, number>>;
}

/**
 * The statement that claims due rows in turns among their receivers: no backlog of one holds up another. A row has
 * `next_attempt_at` while it waits, `attempt_count`, `claim_number`, `leased_until` and `last_attempted_at`; its
 * receiver has `project_id` and `latency_class`. Rows of deleted projects are left.
 */
export function claimStatement(parts: {
  name: string;
  /** The table of what is sent, and its key. */
  rows: string;
  rowId: string;
  /** The table of receivers, and their key, which rows have under the same name. */
  receivers: string;
  receiverId: string;
  /** Which rows, as the partial index over `(receiverId, next_attempt_at)` says it. */
  scope: string;
  /** The further columns that a claim sets. */
  alsoSet?: string;
  /** Columns of the row `d` and the receiver `w`; the key comes as `row_id` besides. */
  returning: string;
}): Statement {
  const { rows, rowId, receivers, receiverId, scope } = parts;
  // The recursive part skips over the index of waiting rows, one probe for each receiver. `position` counts the
  // parallel attempts to one receiver: receivers with none under way come first, and among equals chance decides, so
  // that no receiver is skipped for long if there is no capacity for all.
  return sql(parts.name)`
    with recursive receivers (receiver_id, n) as (
      (select d.${receiverId}, 1 from ${rows} d where ${scope} and d.${receiverId} > $1
        order by d.${receiverId} limit 1)
      union all
      select (select d.${receiverId} from ${rows} d
              where ${scope} and d.${receiverId} > r.receiver_id order by d.${receiverId} limit 1),
        r.n + 1
      from receivers r where r.receiver_id is not null and r.n < $2
    ), due as materialized (
      select d.row_id, d.next_attempt_at, r.receiver_id, w.latency_class, busy.busy
      from receivers r
      join ${receivers} w on w.${receiverId} = r.receiver_id
      join projects p on p.project_id = w.project_id and p.deleted_at is null
      cross join lateral (select coalesce(($3::jsonb ->> r.receiver_id::text)::integer, 0) as busy) busy
      cross join lateral (
        select d.${rowId} as row_id, d.next_attempt_at from ${rows} d
        where ${scope} and d.${receiverId} = r.receiver_id and d.next_attempt_at <= (select culprit_now())
          and (d.leased_until is null or d.leased_until <= (select culprit_now()))
        order by d.next_attempt_at
        limit greatest(0, case w.latency_class when 'quick' then $4::integer else 1 end - busy.busy)
        for update skip locked
      ) d
    ), positions as (
      select row_id, latency_class, hashint8extended(hashtext(receiver_id::text), $10::bigint) as lot,
        busy + row_number() over (partition by receiver_id order by next_attempt_at) as position
      from due
    ), with_slow as (
      select *, row_number() over (partition by latency_class = 'slow' order by position, lot) as rank from positions
    ), with_untested as (
      select row_id, latency_class, position, lot,
        row_number() over (partition by latency_class <> 'quick' order by position, lot) as rank
      from with_slow where latency_class <> 'slow' or rank <= $5::integer
    ), in_order as (
      select row_id, position, row_number() over (order by position, lot) as rank
      from with_untested where latency_class = 'quick' or rank <= $6::integer
    ), chosen as (
      select row_id from in_order where rank <= $7::integer and (position = 1 or rank <= $9::integer)
    ), claimed as (
      update ${rows} d set
        attempt_count = d.attempt_count + 1,
        claim_number = d.claim_number + 1,
        last_attempted_at = culprit_now(),
        leased_until = culprit_now() + make_interval(secs => $8),
        next_attempt_at = culprit_now() + make_interval(secs => $8)
        ${parts.alsoSet === undefined ? '' : `, ${parts.alsoSet}`}
      from chosen c, ${receivers} w
      where d.${rowId} = c.row_id and w.${receiverId} = d.${receiverId}
      returning d.${rowId} as row_id, ${parts.returning}
    )
    select claimed.*, (select receiver_id from receivers where n = $2) as continue_after
    from (select) as one left join claimed on true`;
}

/**
 * Claims attempts with such a statement, beginning after a receiver.
 * @returns the claimed rows, and after which receiver the next claim should begin; null at the end of the round
 */
export async function claimRows<Row extends object>(
  database: Queryable,
  statement: Statement,
  afterReceiverId: string,
  capacity: ClaimCapacity,
): Promise<{ rows: (Row & { row_id: string })[]; continueAfter: string | null }> {
  const parameters: Parameter[] = [
    afterReceiverId,
    RECEIVERS_PER_CLAIM,
    JSON.stringify(capacity.underWay),
    capacity.perReceiver,
    Math.max(0, capacity.slow),
    Math.max(0, capacity.untested),
    Math.max(0, capacity.all),
    CLAIM_SECONDS,
    Math.max(0, capacity.concurrent),
    randomInt(SALT_MAX),
  ];
  const found = await database.query<(Row & Claimed) | Unclaimed>(statement, parameters);
  const rows = found.flatMap((row) => (row.row_id === null ? [] : [row]));
  return { rows, continueAfter: found[0]?.continue_after ?? null };
}

interface Claimed {
  row_id: string;
  continue_after: string | null;
}

/** The one row of a claim that found nothing. */
interface Unclaimed {
  row_id: null;
  continue_after: string | null;
}

/** The statement that extends the leases of claimed rows, by their ids `$1` and claim numbers `$2`. */
export function extendStatement(parts: { name: string; rows: string; rowId: string }): Statement {
  const { rows, rowId } = parts;
  return sql(parts.name)`update ${rows} d set
        leased_until = culprit_now() + make_interval(secs => ${CLAIM_SECONDS}),
        next_attempt_at = case when d.next_attempt_at is not null
          then culprit_now() + make_interval(secs => ${CLAIM_SECONDS}) end
      from unnest($1::uuid[], $2::integer[]) as a (row_id, claim_number)
      where d.${rowId} = a.row_id and d.claim_number = a.claim_number and d.leased_until is not null`;
}

/** The statement that makes claimed rows due again, by their ids `$1` and claim numbers `$2`; the attempt counts. */
export function releaseStatement(parts: { name: string; rows: string; rowId: string }): Statement {
  const { rows, rowId } = parts;
  return sql(parts.name)`update ${rows} d set
        leased_until = null,
        next_attempt_at = case when d.next_attempt_at is not null then least(d.next_attempt_at, culprit_now()) end
      from unnest($1::uuid[], $2::integer[]) as a (row_id, claim_number)
      where d.${rowId} = a.row_id and d.claim_number = a.claim_number and d.leased_until is not null`;
}
