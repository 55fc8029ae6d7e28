import type { WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import type { Webhook, WebhookFilters } from '@culprit/contract/alerts/webhooks';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { RecordTable } from '../../workspace/access/access.queries.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';

/** The table in which the binder finds a webhook that a request names. */
export const WEBHOOK_RECORDS: RecordTable = {
  from: 'webhooks w',
  projectId: 'w.project_id',
  recordId: 'w.webhook_id',
};

/** Statements over webhooks as people manage them, each bound to projects that the caller may see. */

interface WebhookRow {
  webhook_id: string;
  project_id: string;
  created_by_user_id: string;
  url: string;
  events: WebhookEventName[];
  filters: WebhookFilters;
  is_enabled: boolean;
  created_at: number;
  updated_at: number;
}

const COLUMNS = `w.webhook_id, w.project_id, w.created_by_user_id, w.url, w.events, w.filters, w.is_enabled,
  w.created_at, w.updated_at`;

function recordOf(row: WebhookRow): Webhook {
  return {
    webhook_id: prefixedId('whk', row.webhook_id),
    project_id: prefixedId('proj', row.project_id),
    created_by_user_id: row.created_by_user_id,
    url: row.url,
    events: row.events,
    filters: row.filters,
    is_enabled: row.is_enabled,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

/** A webhook of a project; null when it has no such one. */
export async function findWebhook(
  database: Queryable,
  projectId: string,
  webhookId: string,
): Promise<Webhook | null> {
  const [row] = await database.query<WebhookRow>(
    sql('webhook-find')`select ${COLUMNS} from webhooks w where w.webhook_id = $1 and w.project_id = $2`,
    [webhookId, projectId],
  );
  return row === undefined ? null : recordOf(row);
}

/** A page of the webhooks of some projects, newest first. */
export async function listWebhookRows(
  database: Queryable,
  projectIds: readonly string[],
  page: TimePage,
): Promise<Webhook[]> {
  const rows = await database.query<WebhookRow>(
    sql('webhooks-list')`select ${COLUMNS} from webhooks w
        where w.project_id = any ($1::uuid[])
          and ($2::timestamptz is null or (w.created_at, w.webhook_id) < ($2, $3::uuid))
        order by w.created_at desc, w.webhook_id desc limit $4`,
    [[...projectIds], ...pageParameters(page)],
  );
  return rows.map(recordOf);
}

/**
 * Locks a live project, so that two creations count one after the other, and counts its webhooks; null when the
 * project is gone.
 */
export async function lockProjectAndCountWebhooks(
  transaction: Transaction,
  projectId: string,
): Promise<number | null> {
  if ((await lockProject(transaction, projectId)) === null) return null;
  const [row] = await transaction.query<{ webhooks: number }>(
    sql('webhooks-count')`select count(*) as webhooks from webhooks where project_id = $1`,
    [projectId],
  );
  return row?.webhooks ?? 0;
}

export async function insertWebhook(
  transaction: Transaction,
  webhook: {
    webhookId: string;
    projectId: string;
    createdByUserId: string;
    url: string;
    events: readonly WebhookEventName[];
    filters: WebhookFilters;
    isEnabled: boolean;
    sealedSecret: Buffer;
  },
): Promise<Webhook> {
  const [row] = await transaction.query<WebhookRow>(
    sql('webhook-insert')`insert into webhooks as w
          (webhook_id, project_id, created_by_user_id, url, events, filters, is_enabled, sealed_secret)
        values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    [
      webhook.webhookId,
      webhook.projectId,
      webhook.createdByUserId,
      webhook.url,
      [...webhook.events],
      JSON.stringify(webhook.filters),
      webhook.isEnabled,
      webhook.sealedSecret,
    ],
  );
  if (row === undefined) throw new Error('an inserted webhook gave no row');
  return recordOf(row);
}

/** The fields of an update; null leaves a field unchanged. */
export interface WebhookChange {
  url: string | null;
  events: readonly WebhookEventName[] | null;
  filters: WebhookFilters | null;
  isEnabled: boolean | null;
}

/**
 * Changes a webhook; null when it is gone. Enabling clears the count of failures (docs/contract/notifications.md 3.5).
 * `isStopped`: this is what disabled it.
 */
export async function updateWebhookRow(
  transaction: Transaction,
  projectId: string,
  webhookId: string,
  change: WebhookChange,
): Promise<{ webhook: Webhook; isStopped: boolean } | null> {
  const [row] = await transaction.query<WebhookRow & { was_enabled: boolean }>(
    sql('webhook-update')`with held as (select webhook_id, is_enabled from webhooks
            where webhook_id = $1 and project_id = $6 for update)
        update webhooks w set
          url = coalesce($2::text, w.url),
          events = coalesce($3::text[], w.events),
          filters = coalesce($4::jsonb, w.filters),
          is_enabled = coalesce($5::boolean, w.is_enabled),
          failed_attempts = case when $5 then 0 else w.failed_attempts end,
          first_failed_at = case when $5 then null else w.first_failed_at end,
          -- An address that no other webhook has may be as quick as any.
          latency_class = case when $2::text <> w.url then 'unknown' else w.latency_class end,
          updated_at = culprit_now()
        from held where w.webhook_id = held.webhook_id
        returning ${COLUMNS}, held.is_enabled as was_enabled`,
    [
      webhookId,
      change.url,
      change.events === null ? null : [...change.events],
      change.filters === null ? null : JSON.stringify(change.filters),
      change.isEnabled,
      projectId,
    ],
  );
  if (row === undefined) return null;
  return { webhook: recordOf(row), isStopped: row.was_enabled && !row.is_enabled };
}

/** Stores another sealed secret; null when the webhook is gone. */
export async function replaceSecret(
  database: Queryable,
  projectId: string,
  webhookId: string,
  sealedSecret: Buffer,
): Promise<Webhook | null> {
  const [row] = await database.query<WebhookRow>(
    sql('webhook-secret')`update webhooks w set sealed_secret = $3, updated_at = culprit_now()
        where w.webhook_id = $1 and w.project_id = $2 returning ${COLUMNS}`,
    [webhookId, projectId, sealedSecret],
  );
  return row === undefined ? null : recordOf(row);
}

/** Deletes a webhook of a project with the deliveries that are left of it; false when it is gone already. */
export async function deleteWebhookRow(
  database: Queryable,
  projectId: string,
  webhookId: string,
): Promise<boolean> {
  const rows = await database.query(
    sql(
      'webhook-delete',
    )`delete from webhooks where webhook_id = $1 and project_id = $2 returning webhook_id`,
    [webhookId, projectId],
  );
  return rows.length > 0;
}
