import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { type ChannelAccess, findChannelAccess } from './channels.queries.ts';

/**
 * A channel the member may change: admins and the owner of its project may (notifications.md 0.4).
 * @throws Problem `weekly_report_channel_not_found`, also for one of a project they do not see, `forbidden`,
 * `shared_access_suspended`
 */
export async function requireChannel(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  id: string,
): Promise<ChannelAccess> {
  const channelId = parseId([], id);
  const access =
    channelId === null ? null : await findChannelAccess(database, plans, member.userId, channelId);
  if (access === null) throw new Problem('weekly_report_channel_not_found');
  if (access.role === 'member') throw new Problem('forbidden');
  if (access.isSuspended) throw new Problem('shared_access_suspended');
  return access;
}
