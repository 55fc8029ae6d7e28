import type { Webhook } from '@culprit/contract/alerts/webhooks';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { RecordAccess } from '../../workspace/access/authorize.ts';
import { findWebhook } from './webhooks.queries.ts';

/** One webhook (docs/contract/notifications.md 3.1). @throws Problem `webhook_not_found` when it was deleted */
export async function getWebhook(
  { database }: Runtime,
  { projectId, recordId }: RecordAccess,
): Promise<Webhook> {
  const webhook = await findWebhook(database, projectId, recordId);
  if (webhook === null) throw new Problem('webhook_not_found');
  return webhook;
}
