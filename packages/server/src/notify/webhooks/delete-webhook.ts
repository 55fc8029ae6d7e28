import type { deleteWebhook as endpoint } from '@culprit/contract/alerts/webhooks';
import { Problem } from '../../platform/http/binding/problem.ts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { deleteDeliveries } from './deliveries.queries.ts';
import { deleteWebhookRow } from './webhooks.queries.ts';

const DELIVERIES_PER_STEP = 5000;

/**
 * Deletes a webhook with all its deliveries, sent ones and waiting ones. Very many are deleted step by step before it,
 * so that no statement takes long; a call that did not get through them all is repeated and finds fewer.
 * @throws Problem `webhook_not_found` when it was deleted
 */
export async function deleteWebhook(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { access, caller } = request;
  const { projectId, recordId: webhookId } = access;
  let deleted = DELIVERIES_PER_STEP;
  while (deleted === DELIVERIES_PER_STEP) {
    deleted = await deleteDeliveries(database, webhookId, DELIVERIES_PER_STEP);
  }
  if (!(await deleteWebhookRow(database, projectId, webhookId))) throw new Problem('webhook_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'webhook.deleted',
    actorUserId: caller.userId,
    subject: `webhook:${prefixedId('whk', webhookId)}`,
  });
}
