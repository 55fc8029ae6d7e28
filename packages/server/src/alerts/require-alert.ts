import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { type AlertAccess, findAlertAccess } from './alert-rules.queries.ts';

/**
 * A rule the member may use; every role of its project may, whoever made it (notifications.md 0.4).
 * @throws Problem `alert_not_found`, also for one of a project they do not see, `shared_access_suspended`
 */
export async function requireAlert(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  id: string,
): Promise<AlertAccess> {
  const alertId = parseId(['alt'], id);
  const access = alertId === null ? null : await findAlertAccess(database, plans, member.userId, alertId);
  if (access === null) throw new Problem('alert_not_found');
  if (access.isSuspended) throw new Problem('shared_access_suspended');
  return access;
}
