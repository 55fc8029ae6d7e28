import type { BodyOf } from '@culprit/contract/endpoint';
import type { createWebhook as endpoint, Webhook } from '@culprit/contract/webhooks';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import { requireTarget } from '../platform/outbound/require-target.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createSigningSecret, sealSigningSecret } from './signing-secret.ts';
import { orderedEvents, setFilters, WEBHOOKS_MAX } from './webhook.ts';
import { insertWebhook, lockProjectAndCountWebhooks } from './webhooks.queries.ts';
import type { WebhooksRoom } from './webhooks.routes.ts';

/**
 * Makes a webhook (notifications.md 3.3). Its signing secret is in this answer and, encrypted, in its row.
 * @throws Problem `invalid_payload`, `blocked_target`, `project_not_found`, `shared_access_suspended`,
 * `resource_limit_reached`
 */
export async function createWebhook(
  room: WebhooksRoom,
  member: Member,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<{ webhook: Webhook; signing_secret: string }> {
  const { database, plans } = room;
  const url = requireTarget(room.outbound, body.url);
  const access = await requireProject(database, plans, member.userId, body.project_id);
  const { projectId, organizationId } = access;
  const webhookId = newUuid();
  const secret = createSigningSecret();
  const webhook = await database.transaction(async (transaction) => {
    const webhooks = await lockProjectAndCountWebhooks(transaction, projectId);
    if (webhooks === null) throw new Problem('project_not_found');
    if (webhooks >= WEBHOOKS_MAX) throw new Problem('resource_limit_reached');
    return await insertWebhook(transaction, {
      webhookId,
      projectId,
      createdByUserId: member.userId,
      url,
      events: orderedEvents(body.events),
      filters: setFilters(body.filters ?? null),
      isEnabled: body.is_enabled ?? true,
      sealedSecret: sealSigningSecret(room.secretKey, secret, webhookId),
    });
  });
  const { webhook_id } = webhook;
  await recordAudit(database, request, {
    action: 'webhook.created',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `webhook:${webhook_id}`,
  });
  return { webhook, signing_secret: secret };
}
