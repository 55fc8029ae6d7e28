import type { createWebhook as endpoint, Webhook } from '@culprit/contract/alerts/webhooks';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { createSigningSecret, sealSigningSecret } from './signing-secret.ts';
import { orderedEvents, setFilters, WEBHOOKS_MAX } from './webhook.ts';
import { insertWebhook, lockProjectAndCountWebhooks } from './webhooks.queries.ts';

/**
 * Returns the address of a new webhook in its stored form.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkNewWebhook({ outbound }: Runtime, { body }: { body: BodyOf<typeof endpoint> }): string {
  return requireTarget(outbound, body.url, '/url');
}

/**
 * Creates a webhook (docs/contract/notifications.md 3.3). Its signing secret is in this answer and, encrypted, in its
 * row.
 * @throws Problem `project_not_found` when it was deleted, `resource_limit_reached`
 */
export async function createWebhook(
  { database, keys }: Runtime,
  request: ApiRequest<typeof endpoint, string>,
): Promise<{ webhook: Webhook; signing_secret: string }> {
  const { access, caller, body, checked: url } = request;
  const { projectId } = access;
  const webhookId = newUuid();
  const secret = createSigningSecret();
  const webhook = await database.transaction(async (transaction) => {
    const webhooks = await lockProjectAndCountWebhooks(transaction, projectId);
    if (webhooks === null) throw new Problem('project_not_found');
    if (webhooks >= WEBHOOKS_MAX) throw new Problem('resource_limit_reached');
    return await insertWebhook(transaction, {
      webhookId,
      projectId,
      createdByUserId: caller.userId,
      url,
      events: orderedEvents(body.events),
      filters: setFilters(body.filters ?? null),
      isEnabled: body.is_enabled ?? true,
      sealedSecret: sealSigningSecret(keys.webhookSecrets, secret, webhookId),
    });
  });
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.created',
    actorUserId: caller.userId,
    subject: `webhook:${webhook.webhook_id}`,
  });
  return { webhook, signing_secret: secret };
}
