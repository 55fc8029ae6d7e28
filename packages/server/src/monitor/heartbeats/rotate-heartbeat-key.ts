import type { rotateHeartbeatKey as endpoint, Heartbeat } from '@culprit/contract/monitor/heartbeats';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { createPingKey } from './create-heartbeat.ts';
import { heartbeatScope } from './heartbeat-scope.ts';
import { findHeartbeat, replacePingKey } from './heartbeats.queries.ts';

/** Gives a heartbeat a new address, for one that became known. @throws Problem `heartbeat_not_found` */
export async function rotateHeartbeatKey(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<Heartbeat> {
  const { access, caller } = request;
  const { projectId, recordId: heartbeatId } = access;
  const { database } = runtime;
  const isReplaced = await replacePingKey(database, { projectId, heartbeatId }, createPingKey());
  const heartbeat = isReplaced
    ? await findHeartbeat(database, heartbeatScope(runtime, request), heartbeatId)
    : null;
  if (heartbeat === null) throw new Problem('heartbeat_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'heartbeat.key_rotated',
    actorUserId: caller.userId,
    subject: `heartbeat:${heartbeatId}`,
  });
  return heartbeat;
}
