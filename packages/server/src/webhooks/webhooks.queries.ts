import { formatTimestamp } from '@culprit/contract/timestamps';
import type { Webhook, WebhookEventName, WebhookFilters } from '@culprit/contract/webhooks';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { prefixedId } from '../platform/ids.ts';
import type { AttemptOutcome } from '../platform/sending/attempt-outcome.ts';
import { sharedAccessPlan } from '../projects/require-project.ts';

/** Statements over webhooks. Those for people are bound to the caller's projects. */

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

/** What a person may do at a webhook depends on these. Ids are bare UUIDs. */
export interface WebhookAccess {
  webhook: Webhook;
  webhookId: string;
  projectId: string;
  organizationId: string;
  /** The owner's plan pauses other people's access. */
  isSuspended: boolean;
}

/** A webhook of a project the person has a place in; null when there is none. */
export async function findWebhook(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  webhookId: string,
): Promise<WebhookAccess | null> {
  const [row] = await database.query<WebhookRow & { organization_id: string; is_suspended: boolean }>(
    {
      name: 'webhook-find',
      text: `select ${COLUMNS}, p.organization_id, shared_access_suspended(m.role, o, $3) as is_suspended
        from webhooks w
        join projects p on p.project_id = w.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        join project_members m on m.project_id = w.project_id and m.user_id = $1
        where w.webhook_id = $2`,
    },
    [userId, webhookId, sharedAccessPlan(plans)],
  );
  if (row === undefined) return null;
  return {
    webhook: recordOf(row),
    webhookId: row.webhook_id,
    projectId: row.project_id,
    organizationId: row.organization_id,
    isSuspended: row.is_suspended,
  };
}

/** A page of the webhooks of some projects, newest first; `after` is the last one of the page before. */
export async function listWebhookRows(
  database: Queryable,
  projectIds: readonly string[],
  page: { after: { createdAtMs: number; webhookId: string } | null; limit: number },
): Promise<Webhook[]> {
  const rows = await database.query<WebhookRow>(
    {
      name: 'webhooks-list',
      text: `select ${COLUMNS} from webhooks w
        where w.project_id = any ($1::uuid[])
          and ($2::timestamptz is null or (w.created_at, w.webhook_id) < ($2, $3::uuid))
        order by w.created_at desc, w.webhook_id desc limit $4`,
    },
    [
      [...projectIds],
      page.after === null ? null : new Date(page.after.createdAtMs),
      page.after?.webhookId ?? null,
      page.limit,
    ],
  );
  return rows.map(recordOf);
}

/**
 * Locks a live project, so that two creations count one after the other, and counts its webhooks; null when the project
 * is gone.
 */
export async function lockProjectAndCountWebhooks(
  transaction: Queryable,
  projectId: string,
): Promise<number | null> {
  const locked = await transaction.query(
    {
      name: 'webhook-project-lock',
      text: 'select 1 from projects where project_id = $1 and deleted_at is null for no key update',
    },
    [projectId],
  );
  if (locked.length === 0) return null;
  const [row] = await transaction.query<{ webhooks: number }>(
    { name: 'webhooks-count', text: 'select count(*) as webhooks from webhooks where project_id = $1' },
    [projectId],
  );
  return row?.webhooks ?? 0;
}

export async function insertWebhook(
  transaction: Queryable,
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
    {
      name: 'webhook-insert',
      text: `insert into webhooks as w
          (webhook_id, project_id, created_by_user_id, url, events, filters, is_enabled, sealed_secret)
        values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    },
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

/** What an update changes; null leaves a field as it is. */
export interface WebhookChange {
  url: string | null;
  events: readonly WebhookEventName[] | null;
  filters: WebhookFilters | null;
  isEnabled: boolean | null;
}

/**
 * Changes a webhook; null when it is gone. Enabling clears the count of failures (notifications.md 3.5). `isStopped`:
 * this is what disabled it.
 */
export async function updateWebhookRow(
  transaction: Queryable,
  webhookId: string,
  change: WebhookChange,
): Promise<{ webhook: Webhook; isStopped: boolean } | null> {
  const [row] = await transaction.query<WebhookRow & { was_enabled: boolean }>(
    {
      name: 'webhook-update',
      text: `with held as (select webhook_id, is_enabled from webhooks where webhook_id = $1 for update)
        update webhooks w set
          url = coalesce($2::text, w.url),
          events = coalesce($3::text[], w.events),
          filters = coalesce($4::jsonb, w.filters),
          is_enabled = coalesce($5::boolean, w.is_enabled),
          failed_attempts = case when $5 then 0 else w.failed_attempts end,
          first_failed_at = case when $5 then null else w.first_failed_at end,
          -- An address of its own may be as quick as any.
          pace = case when $2::text <> w.url then 'unknown' else w.pace end,
          updated_at = culprit_now()
        from held where w.webhook_id = held.webhook_id
        returning ${COLUMNS}, held.is_enabled as was_enabled`,
    },
    [
      webhookId,
      change.url,
      change.events === null ? null : [...change.events],
      change.filters === null ? null : JSON.stringify(change.filters),
      change.isEnabled,
    ],
  );
  if (row === undefined) return null;
  return { webhook: recordOf(row), isStopped: row.was_enabled && !row.is_enabled };
}

/** Removes a webhook with the deliveries that are left of it; false when it is gone already. */
export async function deleteWebhookRow(database: Queryable, webhookId: string): Promise<boolean> {
  const rows = await database.query(
    { name: 'webhook-delete', text: 'delete from webhooks where webhook_id = $1 returning webhook_id' },
    [webhookId],
  );
  return rows.length > 0;
}

/** A webhook that may get an event. */
export interface Subscriber {
  webhookId: string;
  events: WebhookEventName[];
  filters: WebhookFilters;
}

/**
 * The enabled webhooks of a project, held until the transaction ends: whoever disables one waits, and then finds the
 * deliveries that were made of it meanwhile.
 */
export async function holdSubscribers(transaction: Queryable, projectId: string): Promise<Subscriber[]> {
  const rows = await transaction.query<Pick<WebhookRow, 'webhook_id' | 'events' | 'filters'>>(
    {
      name: 'webhook-subscribers',
      text: `select webhook_id, events, filters from webhooks where project_id = $1 and is_enabled
        order by webhook_id for share`,
    },
    [projectId],
  );
  return rows.map((row) => ({ webhookId: row.webhook_id, events: row.events, filters: row.filters }));
}

/** Locks a webhook before its deliveries, as everybody does who touches both; false when it is gone. */
export async function lockWebhook(transaction: Queryable, webhookId: string): Promise<boolean> {
  const rows = await transaction.query(
    { name: 'webhook-lock', text: 'select 1 from webhooks where webhook_id = $1 for no key update' },
    [webhookId],
  );
  return rows.length > 0;
}

/** An attempt succeeded: the streak of failures ends. Writes only what is news. */
export async function noteSuccess(
  transaction: Queryable,
  webhookId: string,
  pace: AttemptOutcome['pace'],
): Promise<void> {
  await transaction.query(
    {
      name: 'webhook-note-success',
      text: `update webhooks set failed_attempts = 0, first_failed_at = null, pace = $2
        where webhook_id = $1 and (failed_attempts > 0 or pace <> $2)`,
    },
    [webhookId, pace],
  );
}

/**
 * An attempt failed. True when it completes a streak for which an enabled webhook is disabled: so many in a row, over
 * so long (notifications.md 3.11).
 * @param isCounted false for tests and manual retries
 */
export async function noteFailure(
  transaction: Queryable,
  webhookId: string,
  failure: { pace: AttemptOutcome['pace']; isCounted: boolean },
  limit: { failuresMin: number; spanMs: number },
): Promise<boolean> {
  const [row] = await transaction.query<{ is_too_much: boolean }>(
    {
      name: 'webhook-note-failure',
      text: `update webhooks set pace = $2,
          failed_attempts = failed_attempts + case when $3 then 1 else 0 end,
          first_failed_at = case when $3 then coalesce(first_failed_at, culprit_now()) else first_failed_at end
        where webhook_id = $1
        returning $3 and is_enabled and failed_attempts >= $4
          and first_failed_at <= culprit_now() - $5 * interval '1 ms' as is_too_much`,
    },
    [webhookId, failure.pace, failure.isCounted, limit.failuresMin, limit.spanMs],
  );
  return row?.is_too_much ?? false;
}

/** What the notice to the owner says of a webhook. Ids are bare UUIDs. */
export interface DisabledWebhook {
  projectId: string;
  organizationId: string;
  projectName: string;
  url: string;
  ownerEmail: string;
}

/** Disables an enabled webhook of a live project; null when it is not one. */
export async function disableWebhookRow(
  transaction: Queryable,
  webhookId: string,
): Promise<DisabledWebhook | null> {
  const [row] = await transaction.query<{
    project_id: string;
    organization_id: string;
    project_name: string;
    url: string;
    owner_email: string;
  }>(
    {
      name: 'webhook-disable',
      text: `update webhooks w set is_enabled = false, updated_at = culprit_now()
        from projects p join organizations o on o.organization_id = p.organization_id
          join users u on u.user_id = o.owner_user_id
        where w.webhook_id = $1 and w.is_enabled and p.project_id = w.project_id and p.deleted_at is null
        returning w.project_id, p.organization_id, p.name as project_name, w.url, u.email as owner_email`,
    },
    [webhookId],
  );
  if (row === undefined) return null;
  return {
    projectId: row.project_id,
    organizationId: row.organization_id,
    projectName: row.project_name,
    url: row.url,
    ownerEmail: row.owner_email,
  };
}
