import type { updateHeartbeat as endpoint, Heartbeat } from '@culprit/contract/monitor/heartbeats';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { heartbeatScope } from './heartbeat-scope.ts';
import { changedSettings, movesSchedule } from './heartbeat-settings.ts';
import { findHeartbeat, lockSettings, updateSettings } from './heartbeats.queries.ts';
import { nextTime } from './schedule.ts';

/**
 * Changes a heartbeat. A person's word wins: the configuration in check-ins changes it no more.
 * @throws Problem `invalid_payload`, `heartbeat_not_found` when it was deleted in between
 */
export async function updateHeartbeat(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<Heartbeat> {
  const { access, caller, body } = request;
  const { projectId, recordId: heartbeatId } = access;
  const { database } = runtime;
  const heartbeat = await database.transaction(async (transaction) => {
    const before = await lockSettings(transaction, projectId, heartbeatId);
    if (before === null) throw new Problem('heartbeat_not_found');
    const { settings, nowMs } = before;
    const after = changedSettings(settings, body, nowMs);
    const expectedAtMs = nextTime(after.schedule, after.timezone, nowMs);
    await updateSettings(
      transaction,
      { projectId, heartbeatId, managedBy: 'member' },
      after,
      movesSchedule(settings, after) && expectedAtMs !== null ? { nowMs, expectedAtMs } : null,
    );
    return await findHeartbeat(transaction, heartbeatScope(runtime, request), heartbeatId);
  });
  if (heartbeat === null) throw new Error('an updated heartbeat is not there');
  await recordAudit(database, request, {
    ...access,
    action: 'heartbeat.updated',
    actorUserId: caller.userId,
    subject: `heartbeat:${heartbeatId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return heartbeat;
}
