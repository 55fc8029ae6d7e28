import type { rotateWebhookSecret as endpoint, Webhook } from '@culprit/contract/alerts/webhooks';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { createSigningSecret, sealSigningSecret } from './signing-secret.ts';
import { replaceSecret } from './webhooks.queries.ts';

/**
 * Gives a webhook another signing secret. Attempts that begin from now on are signed with it.
 * @throws Problem `webhook_not_found` when it was deleted
 */
export async function rotateSecret(
  { database, keys }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<{ webhook: Webhook; signing_secret: string }> {
  const { access, caller } = request;
  const { projectId, recordId: webhookId } = access;
  const secret = createSigningSecret();
  const sealed = sealSigningSecret(keys.webhookSecrets, secret, webhookId);
  const webhook = await replaceSecret(database, projectId, webhookId, sealed);
  if (webhook === null) throw new Problem('webhook_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.secret_rotated',
    actorUserId: caller.userId,
    subject: `webhook:${webhook.webhook_id}`,
  });
  return { webhook, signing_secret: secret };
}
