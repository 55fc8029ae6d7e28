import type { WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import type { DeliveryStatus, WebhookDelivery } from '@culprit/contract/alerts/webhooks';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import { WAKE_CHANNEL } from '../../platform/jobs/wake-listener.ts';
import { DELIVERIES_WAKE } from './webhooks.jobs.ts';

/** Statements over deliveries but for those of the engine that sends them. Each is bound to a webhook. */

interface DeliveryRow {
  delivery_id: string;
  webhook_id: string;
  event_type: WebhookEventName;
  status: DeliveryStatus;
  attempt_count: number;
  next_attempt_at: number | null;
  last_response_code: number | null;
  last_attempted_at: number | null;
  last_error: string | null;
  created_at: number;
  delivered_at: number | null;
}

const COLUMNS = `delivery_id, webhook_id, event_type, status, attempt_count, next_attempt_at, last_response_code,
  last_attempted_at, last_error, created_at, delivered_at`;

function recordOf(row: DeliveryRow): WebhookDelivery {
  return {
    delivery_id: prefixedId('del', row.delivery_id),
    webhook_id: prefixedId('whk', row.webhook_id),
    event_type: row.event_type,
    status: row.status,
    attempt_count: row.attempt_count,
    next_attempt_at: timeOrNull(row.next_attempt_at),
    last_response_code: row.last_response_code,
    last_attempted_at: timeOrNull(row.last_attempted_at),
    last_error: row.last_error,
    created_at: formatTimestamp(row.created_at),
    delivered_at: timeOrNull(row.delivered_at),
  };
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : formatTimestamp(timeMs);
}

/** A delivery to be made. Ids are bare UUIDs. */
export interface NewDelivery {
  deliveryId: string;
  webhookId: string;
  eventType: WebhookEventName;
  lifecycleId: number;
  body: string;
}

/** Which of these deliveries are there already, as `<webhook id> <ledger row>`. */
export async function findDelivered(
  transaction: Transaction,
  wanted: readonly Pick<NewDelivery, 'webhookId' | 'lifecycleId' | 'eventType'>[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ webhook_id: string; lifecycle_id: number }>(
    sql('deliveries-of-sources')`select d.webhook_id, d.lifecycle_id
        from json_to_recordset($1::json) as s (webhook_id uuid, lifecycle_id bigint, event_type text)
        join webhook_deliveries d using (webhook_id, lifecycle_id, event_type)`,
    [
      JSON.stringify(
        wanted.map((each) => ({
          webhook_id: each.webhookId,
          lifecycle_id: each.lifecycleId,
          event_type: each.eventType,
        })),
      ),
    ],
  );
  return new Set(rows.map((row) => sourceKey(row.webhook_id, row.lifecycle_id)));
}

/** The form of `findDelivered`. */
export function sourceKey(webhookId: string, lifecycleId: number): string {
  return `${webhookId} ${lifecycleId}`;
}

/** Writes deliveries that are due immediately and wakes their senders when the transaction commits. */
export async function insertDeliveries(
  transaction: Transaction,
  projectId: string,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await transaction.query(
    sql('deliveries-insert')`with made as (
          insert into webhook_deliveries
            (delivery_id, webhook_id, project_id, event_type, lifecycle_id, body, status)
          select delivery_id, webhook_id, $1, event_type, lifecycle_id, body, 'pending'
          from json_to_recordset($2::json) as d (delivery_id uuid, webhook_id uuid, event_type text,
            lifecycle_id bigint, body text)
          order by lifecycle_id, webhook_id
          on conflict (webhook_id, lifecycle_id, event_type) where lifecycle_id is not null do nothing
        )
        select pg_notify('${WAKE_CHANNEL}', '${DELIVERIES_WAKE}')`,
    [
      projectId,
      JSON.stringify(
        deliveries.map((each) => ({
          delivery_id: each.deliveryId,
          webhook_id: each.webhookId,
          event_type: each.eventType,
          lifecycle_id: each.lifecycleId,
          body: each.body,
        })),
      ),
    ],
  );
}

/** Writes a test delivery of a moment, due immediately. */
export async function insertTestDelivery(
  transaction: Transaction,
  delivery: {
    deliveryId: string;
    webhookId: string;
    projectId: string;
    eventType: WebhookEventName;
    body: string;
    createdAtMs: number;
  },
): Promise<WebhookDelivery> {
  const [row] = await transaction.query<DeliveryRow>(
    sql('delivery-insert-test')`insert into webhook_deliveries
          (delivery_id, webhook_id, project_id, event_type, body, status, is_explicit, created_at, next_attempt_at)
        values ($1, $2, $3, $4, $5, 'pending', true, $6, $6) returning ${COLUMNS}`,
    [
      delivery.deliveryId,
      delivery.webhookId,
      delivery.projectId,
      delivery.eventType,
      delivery.body,
      new Date(delivery.createdAtMs),
    ],
  );
  if (row === undefined) throw new Error('an inserted delivery gave no row');
  await wakeDeliveries(transaction);
  return recordOf(row);
}

/** Wakes the senders of deliveries, in every process, when the transaction commits. */
const wakeDeliveries = inTransaction.run<[]>(
  'deliveries-wake',
  `select pg_notify('${WAKE_CHANNEL}', '${DELIVERIES_WAKE}')`,
);

/** A page of a webhook's deliveries, newest first. */
export async function listDeliveryRows(
  database: Queryable,
  webhookId: string,
  page: TimePage,
  status: DeliveryStatus | null = null,
): Promise<WebhookDelivery[]> {
  const rows = await database.query<DeliveryRow>(
    sql('deliveries-list')`select ${COLUMNS} from webhook_deliveries
        where webhook_id = $1 and ($2::timestamptz is null or (created_at, delivery_id) < ($2, $3::uuid))
          and ($5::text is null or status = $5)
        order by created_at desc, delivery_id desc limit $4`,
    [webhookId, ...pageParameters(page), status],
  );
  return rows.map(recordOf);
}

/** A delivery with what its attempts send and sent; null when the webhook has no such one. */
export const findDelivery = statement.one<
  [webhookId: string, deliveryId: string],
  DeliveryRow & {
    body: string;
    sealed_secret: Buffer;
    attempts: {
      started_at: number;
      duration_ms: number;
      response_code: number | null;
      error: string | null;
    }[];
  },
  {
    delivery: WebhookDelivery;
    body: string;
    lastAttemptedAtMs: number | null;
    sealedSecret: Buffer;
    attempts: {
      started_at: number;
      duration_ms: number;
      response_code: number | null;
      error: string | null;
    }[];
  }
>(
  'delivery-detail',
  `select ${COLUMNS}, body, attempts,
      (select sealed_secret from webhooks w where w.webhook_id = d.webhook_id) as sealed_secret
    from webhook_deliveries d where webhook_id = $1 and delivery_id = $2`,
  (row) => ({
    delivery: recordOf(row),
    body: row.body,
    lastAttemptedAtMs: row.last_attempted_at,
    sealedSecret: row.sealed_secret,
    attempts: row.attempts,
  }),
);

/**
 * Restarts a delivery, whatever its state; one whose first attempt is still to come is left unchanged. If an attempt is
 * under way, the next one starts when that has ended. Null when the webhook has no such delivery.
 */
export async function restartDelivery(
  transaction: Transaction,
  webhookId: string,
  deliveryId: string,
): Promise<WebhookDelivery | null> {
  const [row] = await transaction.query<DeliveryRow>(
    sql('delivery-restart')`update webhook_deliveries set
          status = case when status = 'pending' then status else 'retrying' end,
          attempt_count = case when status = 'pending' then attempt_count else 0 end,
          next_attempt_at = case when status = 'pending' then next_attempt_at else culprit_now() end,
          is_explicit = is_explicit or status <> 'pending',
          is_retry_waiting = status <> 'pending' and coalesce(leased_until > culprit_now(), false)
        where webhook_id = $1 and delivery_id = $2
        returning ${COLUMNS}`,
    [webhookId, deliveryId],
  );
  if (row === undefined) return null;
  await wakeDeliveries(transaction);
  return recordOf(row);
}

/**
 * Ends every delivery of a disabled webhook that still waits. The outcome of one that is under way is still recorded.
 */
export const disableWaiting = inTransaction.run<
  [webhookId: string, reason: 'webhook_disabled' | 'webhook_auto_disabled']
>(
  'deliveries-disable',
  `update webhook_deliveries set status = 'disabled', last_error = $2, next_attempt_at = null,
      is_retry_waiting = false
    where webhook_id = $1 and next_attempt_at is not null`,
);

/** Removes up to `limit` deliveries of a webhook; returns how many. */
export const deleteDeliveries = statement.count<[webhookId: string, limit: number]>(
  'deliveries-delete',
  `delete from webhook_deliveries where delivery_id = any (array(
      select delivery_id from webhook_deliveries where webhook_id = $1 limit $2))
    returning 1`,
);
