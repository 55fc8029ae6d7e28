import { randomBytes } from 'node:crypto';
import type { createHeartbeat as endpoint, Heartbeat } from '@culprit/contract/monitor/heartbeats';
import { readClock } from '../../platform/db/read-clock.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { heartbeatAllowance } from '../../workspace/billing/plan-limits.ts';
import { lockProject } from '../../workspace/projects/projects.queries.ts';
import { heartbeatScope } from './heartbeat-scope.ts';
import type { HeartbeatSettings } from './heartbeat-settings.ts';
import { countHeartbeats, findHeartbeat, insertHeartbeat } from './heartbeats.queries.ts';
import { nextTime } from './schedule.ts';

const PING_KEY_BYTES = 32;

/** A new key of the address that a job requests: hard to guess. */
export function createPingKey(): string {
  return `hb_${randomBytes(PING_KEY_BYTES).toString('base64url')}`;
}

/**
 * Creates a heartbeat (docs/contract/team-workflow.md 8.1).
 * @throws Problem `heartbeat_exists`, `resource_limit_reached`, `project_not_found`
 */
export async function createHeartbeat(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, HeartbeatSettings>,
): Promise<Heartbeat> {
  const { access, caller, body, checked: settings } = request;
  const { database, plans } = runtime;
  const { heartbeatsMax } = heartbeatAllowance(access.plan, plans.isEnforced);
  const heartbeatId = newUuid();
  const heartbeat = await database.transaction(async (transaction) => {
    const project = await lockProject(transaction, access.projectId);
    if (project === null) throw new Problem('project_not_found');
    const { all } = await countHeartbeats(transaction, access.projectId);
    if (all >= heartbeatsMax) throw new Problem('resource_limit_reached');
    const nowMs = await readClock(transaction);
    const isInserted = await insertHeartbeat(transaction, {
      heartbeatId,
      projectId: access.projectId,
      slug: body.slug,
      environment: body.environment?.trim() ?? project.environmentDefault,
      managedBy: 'member',
      pingKey: createPingKey(),
      settings,
      nowMs,
      expectedAtMs: nextTime(settings.schedule, settings.timezone, nowMs) ?? nowMs,
    });
    if (!isInserted) throw new Problem('heartbeat_exists');
    return await findHeartbeat(transaction, heartbeatScope(runtime, request), heartbeatId);
  });
  if (heartbeat === null) throw new Error('an inserted heartbeat is not there');
  await recordAudit(database, request, {
    ...access,
    action: 'heartbeat.created',
    actorUserId: caller.userId,
    subject: `heartbeat:${heartbeatId}`,
  });
  return heartbeat;
}
