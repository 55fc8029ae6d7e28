import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { deleteChannelRow } from './channels.queries.ts';
import type { ReportsRoom } from './reports.routes.ts';
import { requireChannel } from './require-channel.ts';

/**
 * Deletes a channel; a report to Slack that waits is not sent any more.
 * @throws Problem `weekly_report_channel_not_found`, `forbidden`, `shared_access_suspended`
 */
export async function deleteChannel(
  { database, plans }: ReportsRoom,
  member: Member,
  id: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<void> {
  const access = await requireChannel(database, plans, member, id);
  if (!(await deleteChannelRow(database, access.channelId))) {
    throw new Problem('weekly_report_channel_not_found');
  }
  await recordAudit(database, request, {
    ...access,
    action: 'weekly_report_channel.deleted',
    actorUserId: member.userId,
    subject: `weekly_report_channel:${access.channelId}`,
  });
}
