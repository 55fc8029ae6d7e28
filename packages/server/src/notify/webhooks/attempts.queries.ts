import { DELIVERY_ATTEMPTS_MAX } from '@culprit/contract/alerts/delivery-attempts';
import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import {
  type ClaimCapacity,
  claimRows,
  claimStatement,
  type LatencyClass,
  releaseStatement,
} from '../../platform/row-queue/claim-statement.ts';

/** Statements of the engine that sends deliveries: claims under a lease, and what came of each attempt. */

/** An attempt that was claimed and must be made now. Ids are bare UUIDs. */
export interface Attempt {
  deliveryId: string;
  /** The webhook. */
  receiverId: string;
  /** The fence: as long as the row has this number, no later claim exists. */
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
  /** The class of the previous attempt's duration, for any delivery of the webhook. */
  latencyClass: LatencyClass;
}

/**
 * Claims due deliveries, in turns among the webhooks behind `afterWebhookId`: no backlog of one holds up another.
 * @returns the attempts, and behind which webhook the next claim should look; null at the end of the round
 */
export async function claimAttempts(
  database: Queryable,
  afterWebhookId: string,
  capacity: ClaimCapacity,
): Promise<{ attempts: Attempt[]; continueAfter: string | null }> {
  const { rows, continueAfter } = await claimRows<ClaimRow>(database, CLAIM, afterWebhookId, capacity);
  const attempts = rows.map((row) => ({
    deliveryId: row.row_id,
    receiverId: row.webhook_id,
    claimNumber: row.claim_number,
    attempt: row.attempt_count,
    eventType: row.event_type,
    body: row.body,
    url: row.url,
    sealedSecret: row.sealed_secret,
    isExplicit: row.is_explicit,
    startedAtMs: row.last_attempted_at,
    latencyClass: row.latency_class,
  }));
  return { attempts, continueAfter };
}

interface ClaimRow {
  webhook_id: string;
  claim_number: number;
  attempt_count: number;
  event_type: string;
  body: string;
  url: string;
  sealed_secret: Buffer;
  is_explicit: boolean;
  last_attempted_at: number;
  latency_class: LatencyClass;
}

const CLAIM = claimStatement({
  name: 'deliveries-claim',
  rows: 'webhook_deliveries',
  rowId: 'delivery_id',
  receivers: 'webhooks',
  receiverId: 'webhook_id',
  scope: 'd.next_attempt_at is not null',
  alsoSet: 'is_retry_waiting = false',
  returning: `d.webhook_id, d.claim_number, d.attempt_count, d.event_type, d.body, w.url, w.sealed_secret,
    d.is_explicit, d.last_attempted_at, w.latency_class`,
});

/** The attempts of a row with the one that ended just now; the oldest go. Its response code is `$3`. */
const WITH_ATTEMPT = (error: string) => `
            case when jsonb_array_length(attempts) >= ${DELIVERY_ATTEMPTS_MAX} then attempts - 0 else attempts end
            || jsonb_build_object('started_at', (extract(epoch from last_attempted_at) * 1000)::bigint,
              'duration_ms', greatest(0, extract(epoch from culprit_now() - last_attempted_at) * 1000)::bigint,
              'response_code', $3::integer, 'error', ${error})`;

/**
 * Records an attempt that was answered 2xx. A delivery that was disabled in the meantime did arrive; one that was
 * requested again is sent again. False when another process has claimed it since.
 */
export async function recordSuccess(
  transaction: Queryable,
  attempt: Pick<Attempt, 'deliveryId' | 'claimNumber'>,
  responseCode: number,
): Promise<boolean> {
  const rows = await transaction.query(
    sql('delivery-record-success')`update webhook_deliveries set
          status = case when is_retry_waiting then status else 'delivered' end,
          next_attempt_at = case when is_retry_waiting then next_attempt_at end,
          is_retry_waiting = false,
          leased_until = null,
          last_response_code = $3::integer,
          last_error = null,
          attempts = ${WITH_ATTEMPT('null')},
          delivered_at = culprit_now()
        where delivery_id = $1 and claim_number = $2 returning 1`,
    [attempt.deliveryId, attempt.claimNumber, responseCode],
  );
  return rows.length > 0;
}

/** Milliseconds from the receipt of an incident's first event to a delivery about it; null when the events are gone. */
export const readWebhookLag = inTransaction.value<[deliveryId: string], number | null>(
  'delivery-lag',
  `select (extract(epoch from d.delivered_at - min(s.received_at)) * 1000)::float8 as lag_ms
    from webhook_deliveries d join lifecycle_events l using (lifecycle_id)
      join incident_samples s on s.incident_id = l.incident_id
    where d.delivery_id = $1 group by d.delivered_at`,
  null,
);

/**
 * Records an attempt that failed. A delivery that was disabled in the meantime stays so; one that was requested again
 * restarts. False when another process has claimed it since.
 * @param failure.waitMs until the next attempt; null: this was the last
 */
export async function recordFailure(
  transaction: Queryable,
  attempt: Pick<Attempt, 'deliveryId' | 'claimNumber'>,
  failure: { responseCode: number | null; error: string; waitMs: number | null },
): Promise<boolean> {
  const rows = await transaction.query(
    sql('delivery-record-failure')`update webhook_deliveries set
          status = case
            when is_retry_waiting or status = 'disabled' then status
            when $5::float8 is null then 'failed'
            else 'retrying' end,
          next_attempt_at = case
            when is_retry_waiting then next_attempt_at
            when status <> 'disabled' then culprit_now() + $5 * interval '1 ms' end,
          last_error = case when status = 'disabled' then last_error else $4::text end,
          is_retry_waiting = false,
          leased_until = null,
          attempts = ${WITH_ATTEMPT('$4::text')},
          last_response_code = $3::integer
        where delivery_id = $1 and claim_number = $2 returning 1`,
    [attempt.deliveryId, attempt.claimNumber, failure.responseCode, failure.error, failure.waitMs],
  );
  return rows.length > 0;
}

/** Gives attempts back whose outcome this process will not see: they are due again, and count. */
export async function releaseAttempts(
  database: Queryable,
  attempts: readonly Pick<Attempt, 'deliveryId' | 'claimNumber'>[],
): Promise<void> {
  await database.query(RELEASE, [
    attempts.map((each) => each.deliveryId),
    attempts.map((each) => each.claimNumber),
  ]);
}

const RELEASE = releaseStatement({
  name: 'deliveries-hand-back',
  rows: 'webhook_deliveries',
  rowId: 'delivery_id',
});
