import { randomInt } from 'node:crypto';
import type { Queryable } from '../platform/db/database.ts';

/** Statements of the engine that sends deliveries: claims under a lease, and what came of each attempt. */

/** A claim lasts this long by the database clock (notifications.md 3.11); an attempt takes far less. */
export const CLAIM_SECONDS = 30;

/** Webhooks with waiting deliveries that one claim looks at. */
const WEBHOOKS_PER_CLAIM = 500;
const SALT_MAX = 2 ** 31;

/** An attempt that was claimed and must be made now. Ids are bare UUIDs. */
export interface Attempt {
  deliveryId: string;
  webhookId: string;
  /** Fences it: nobody claimed it later as long as the row has this number. */
  claimNumber: number;
  /** From 1 since the last manual retry. */
  attempt: number;
  eventType: string;
  body: string;
  url: string;
  sealedSecret: Buffer;
  /** A test or a manual retry: its failures do not count towards the automatic disable. */
  isExplicit: boolean;
  startedAtMs: number;
  /** How long the attempt before it took, to whatever delivery of the webhook. */
  pace: 'unknown' | 'quick' | 'slow';
}

/** How many attempts may be claimed now (notifications.md 3.11, Parallel sends). */
export interface ClaimRoom {
  all: number;
  /** Of these, to receivers whose latest attempt took long or that were never asked. */
  unproven: number;
  /** Of these, to receivers whose latest attempt took long. */
  slow: number;
  /** Of one webhook in parallel, if its latest attempt was quick; the others get one at a time. */
  perWebhook: number;
  /** Of these, beside an attempt to the same webhook. */
  beside: number;
  /** Attempts to each webhook that this process has under way. */
  underWay: Readonly<Record<string, number>>;
}

/**
 * Claims due deliveries, in turns among the webhooks behind `afterWebhookId`: no backlog of one holds up another.
 * @returns the attempts, and behind which webhook the next claim should look; null at the end of the round
 */
export async function claimAttempts(
  database: Queryable,
  afterWebhookId: string,
  room: ClaimRoom,
): Promise<{ attempts: Attempt[]; continueAfter: string | null }> {
  const rows = await database.query<ClaimRow | { delivery_id: null; continue_after: string | null }>(CLAIM, [
    afterWebhookId,
    WEBHOOKS_PER_CLAIM,
    JSON.stringify(room.underWay),
    room.perWebhook,
    Math.max(0, room.slow),
    Math.max(0, room.unproven),
    Math.max(0, room.all),
    CLAIM_SECONDS,
    Math.max(0, room.beside),
    randomInt(SALT_MAX),
  ]);
  const attempts = rows.flatMap((row): Attempt[] =>
    row.delivery_id === null
      ? []
      : [
          {
            deliveryId: row.delivery_id,
            webhookId: row.webhook_id,
            claimNumber: row.claim_number,
            attempt: row.attempt_count,
            eventType: row.event_type,
            body: row.body,
            url: row.url,
            sealedSecret: row.sealed_secret,
            isExplicit: row.is_explicit,
            startedAtMs: row.last_attempted_at,
            pace: row.pace,
          },
        ],
  );
  return { attempts, continueAfter: rows[0]?.continue_after ?? null };
}

interface ClaimRow {
  continue_after: string | null;
  delivery_id: string;
  webhook_id: string;
  claim_number: number;
  attempt_count: number;
  event_type: string;
  body: string;
  url: string;
  sealed_secret: Buffer;
  is_explicit: boolean;
  last_attempted_at: number;
  pace: Attempt['pace'];
}

// The recursive part skips over the index of waiting deliveries, one probe for each webhook. `position` counts the
// parallel attempts to one webhook: whoever has none under way comes first, and among equals chance decides, so that
// nobody is passed over for long where there is not room for all.
const CLAIM = {
  name: 'deliveries-claim',
  text: `
    with recursive receivers (webhook_id, n) as (
      (select webhook_id, 1 from webhook_deliveries where next_attempt_at is not null and webhook_id > $1
        order by webhook_id limit 1)
      union all
      select (select d.webhook_id from webhook_deliveries d
              where d.next_attempt_at is not null and d.webhook_id > r.webhook_id order by d.webhook_id limit 1),
        r.n + 1
      from receivers r where r.webhook_id is not null and r.n < $2
    ), due as materialized (
      select d.delivery_id, d.next_attempt_at, w.webhook_id, w.pace, busy.busy
      from receivers r
      join webhooks w on w.webhook_id = r.webhook_id
      join projects p on p.project_id = w.project_id and p.deleted_at is null
      cross join lateral (select coalesce(($3::jsonb ->> w.webhook_id::text)::integer, 0) as busy) busy
      cross join lateral (
        select delivery_id, next_attempt_at from webhook_deliveries d
        where d.webhook_id = w.webhook_id and d.next_attempt_at <= (select culprit_now())
          and (d.leased_until is null or d.leased_until <= (select culprit_now()))
        order by d.next_attempt_at
        limit greatest(0, case w.pace when 'quick' then $4::integer else 1 end - busy.busy)
        for update skip locked
      ) d
    ), positions as (
      select delivery_id, pace, hashint8extended(hashtext(webhook_id::text), $10::bigint) as lot,
        busy + row_number() over (partition by webhook_id order by next_attempt_at) as position
      from due
    ), with_slow as (
      select *, row_number() over (partition by pace = 'slow' order by position, lot) as place from positions
    ), with_unproven as (
      select delivery_id, pace, position, lot,
        row_number() over (partition by pace <> 'quick' order by position, lot) as place
      from with_slow where pace <> 'slow' or place <= $5::integer
    ), in_order as (
      select delivery_id, position, row_number() over (order by position, lot) as place
      from with_unproven where pace = 'quick' or place <= $6::integer
    ), chosen as (
      select delivery_id from in_order where place <= $7::integer and (position = 1 or place <= $9::integer)
    ), claimed as (
      update webhook_deliveries d set
        attempt_count = d.attempt_count + 1,
        claim_number = d.claim_number + 1,
        last_attempted_at = culprit_now(),
        leased_until = culprit_now() + make_interval(secs => $8),
        next_attempt_at = culprit_now() + make_interval(secs => $8),
        is_retry_waiting = false
      from chosen c, webhooks w
      where d.delivery_id = c.delivery_id and w.webhook_id = d.webhook_id
      returning d.delivery_id, d.webhook_id, d.claim_number, d.attempt_count, d.event_type, d.body, w.url,
        w.sealed_secret, d.is_explicit, d.last_attempted_at, w.pace
    )
    select claimed.*, (select webhook_id from receivers where n = $2) as continue_after
    from (select) as one left join claimed on true`,
};

/**
 * An attempt was answered 2xx. A delivery that was disabled meanwhile did arrive; one that was asked for again is sent
 * again. False when somebody else has claimed it since.
 */
export async function recordSuccess(
  transaction: Queryable,
  attempt: Pick<Attempt, 'deliveryId' | 'claimNumber'>,
  responseCode: number,
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'delivery-record-success',
      text: `update webhook_deliveries set
          status = case when is_retry_waiting then status else 'delivered' end,
          next_attempt_at = case when is_retry_waiting then next_attempt_at end,
          is_retry_waiting = false,
          leased_until = null,
          last_response_code = $3,
          last_error = null,
          delivered_at = culprit_now()
        where delivery_id = $1 and claim_number = $2 returning 1`,
    },
    [attempt.deliveryId, attempt.claimNumber, responseCode],
  );
  return rows.length > 0;
}

/**
 * An attempt failed. A delivery that was disabled meanwhile stays so; one that was asked for again starts anew. False
 * when somebody else has claimed it since.
 * @param failure.waitMs until the next attempt; null: this was the last
 */
export async function recordFailure(
  transaction: Queryable,
  attempt: Pick<Attempt, 'deliveryId' | 'claimNumber'>,
  failure: { responseCode: number | null; error: string; waitMs: number | null },
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'delivery-record-failure',
      text: `update webhook_deliveries set
          status = case
            when is_retry_waiting or status = 'disabled' then status
            when $5::float8 is null then 'failed'
            else 'retrying' end,
          next_attempt_at = case
            when is_retry_waiting then next_attempt_at
            when status <> 'disabled' then culprit_now() + $5 * interval '1 ms' end,
          last_error = case when status = 'disabled' then last_error else $4 end,
          is_retry_waiting = false,
          leased_until = null,
          last_response_code = $3
        where delivery_id = $1 and claim_number = $2 returning 1`,
    },
    [attempt.deliveryId, attempt.claimNumber, failure.responseCode, failure.error, failure.waitMs],
  );
  return rows.length > 0;
}

/** Gives attempts back whose outcome this process will not see: they are due again, and count. */
export async function handBackAttempts(
  database: Queryable,
  attempts: readonly Pick<Attempt, 'deliveryId' | 'claimNumber'>[],
): Promise<void> {
  await database.query(
    {
      name: 'deliveries-hand-back',
      text: `update webhook_deliveries d set
          leased_until = null,
          next_attempt_at = case when d.next_attempt_at is not null then least(d.next_attempt_at, culprit_now()) end
        from unnest($1::uuid[], $2::integer[]) as a (delivery_id, claim_number)
        where d.delivery_id = a.delivery_id and d.claim_number = a.claim_number and d.leased_until is not null`,
    },
    [attempts.map((each) => each.deliveryId), attempts.map((each) => each.claimNumber)],
  );
}
