import type { WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import type { WebhookFilters } from '@culprit/contract/alerts/webhooks';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';
import type { AttemptOutcome } from '../../platform/row-queue/attempt-outcome.ts';

/** Statements over webhooks as deliveries go to them. */

/** A webhook that may get an event. */
export interface Subscriber {
  webhookId: string;
  events: WebhookEventName[];
  filters: WebhookFilters;
}

/**
 * Returns the enabled webhooks of a project, held until the transaction ends: a request that disables one waits, and
 * then finds the deliveries that were created for it in the meantime.
 */
export const lockSharedSubscribers = inTransaction.many<[projectId: string], Subscriber>(
  'webhook-subscribers',
  `select webhook_id as "webhookId", events, filters from webhooks where project_id = $1 and is_enabled
    order by webhook_id for share`,
);

/** Locks a webhook before its deliveries, as everybody does who touches both; false when it is gone. */
export const lockWebhook = inTransaction.exists<[webhookId: string]>(
  'webhook-lock',
  'select 1 from webhooks where webhook_id = $1 for no key update',
);

/** An attempt succeeded: the streak of failures ends. Writes only what is news. */
export const recordWebhookSuccess = inTransaction.run<
  [webhookId: string, latencyClass: AttemptOutcome['latencyClass']]
>(
  'webhook-note-success',
  `update webhooks set failed_attempts = 0, first_failed_at = null, latency_class = $2
    where webhook_id = $1 and (failed_attempts > 0 or latency_class <> $2)`,
);

/**
 * Records an attempt that failed. True when it completes a streak for which an enabled webhook is disabled:
 * `failuresMin` in a row, over `spanMs` (docs/contract/notifications.md 3.11).
 * @param isCounted false for tests and manual retries
 */
export async function recordWebhookFailure(
  transaction: Transaction,
  webhookId: string,
  failure: { latencyClass: AttemptOutcome['latencyClass']; isCounted: boolean },
  limit: { failuresMin: number; spanMs: number },
): Promise<boolean> {
  const [row] = await transaction.query<{ is_too_much: boolean }>(
    sql('webhook-note-failure')`update webhooks set latency_class = $2,
          failed_attempts = failed_attempts + case when $3 then 1 else 0 end,
          first_failed_at = case when $3 then coalesce(first_failed_at, culprit_now()) else first_failed_at end
        where webhook_id = $1
        returning $3 and is_enabled and failed_attempts >= $4
          and first_failed_at <= culprit_now() - $5 * interval '1 ms' as is_too_much`,
    [webhookId, failure.latencyClass, failure.isCounted, limit.failuresMin, limit.spanMs],
  );
  return row?.is_too_much ?? false;
}

/** The facts about a webhook in the notice to the owner. Ids are bare UUIDs. */
export interface DisabledWebhook {
  projectId: string;
  organizationId: string;
  projectName: string;
  url: string;
  ownerEmail: string;
}

/** Disables an enabled webhook of a live project; null when it is not one. */
export const disableWebhookRow = inTransaction.one<[webhookId: string], DisabledWebhook>(
  'webhook-disable',
  `update webhooks w set is_enabled = false, updated_at = culprit_now()
    from projects p join organizations o on o.organization_id = p.organization_id
      join users u on u.user_id = o.owner_user_id
    where w.webhook_id = $1 and w.is_enabled and p.project_id = w.project_id and p.deleted_at is null
    returning w.project_id as "projectId", p.organization_id as "organizationId", p.name as "projectName",
        w.url, u.email as "ownerEmail"`,
);
