import type { deleteHeartbeat as endpoint } from '@culprit/contract/monitor/heartbeats';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { deleteHeartbeatRow } from './heartbeats.queries.ts';

/** Deletes a heartbeat with its runs; its incident stays. @throws Problem `heartbeat_not_found` */
export async function deleteHeartbeat(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { access, caller } = request;
  if (!(await deleteHeartbeatRow(database, access.projectId, access.recordId))) {
    throw new Problem('heartbeat_not_found');
  }
  await recordAudit(database, request, {
    ...access,
    action: 'heartbeat.deleted',
    actorUserId: caller.userId,
    subject: `heartbeat:${access.recordId}`,
  });
}
