import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findWebhook, type WebhookAccess } from './webhooks.queries.ts';

/**
 * A webhook the member may use; every role of its project may (notifications.md 0.4).
 * @throws Problem `webhook_not_found`, also for one of a project they do not see, `shared_access_suspended`
 */
export async function requireWebhook(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  id: string,
): Promise<WebhookAccess> {
  const webhookId = parseId(['whk'], id);
  const access = webhookId === null ? null : await findWebhook(database, plans, member.userId, webhookId);
  if (access === null) throw new Problem('webhook_not_found');
  if (access.isSuspended) throw new Problem('shared_access_suspended');
  return access;
}
