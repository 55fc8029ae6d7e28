import type { deleteWeeklyReportChannel as endpoint } from '@culprit/contract/alerts/weekly-reports';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { deleteChannelRow } from './channels.queries.ts';

/**
 * Deletes a channel; a report to Slack that waits is no longer sent.
 * @throws Problem `weekly_report_channel_not_found` when it was deleted
 */
export async function deleteChannel(
  { database }: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<void> {
  const { access, caller } = request;
  if (!(await deleteChannelRow(database, access.projectId, access.recordId))) {
    throw new Problem('weekly_report_channel_not_found');
  }
  await recordAudit(database, request, {
    ...access,
    action: 'weekly_report_channel.deleted',
    actorUserId: caller.userId,
    subject: `weekly_report_channel:${access.recordId}`,
  });
}
