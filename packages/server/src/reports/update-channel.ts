import type { BodyOf } from '@culprit/contract/endpoint';
import type {
  updateWeeklyReportChannel as endpoint,
  WeeklyReportChannel,
} from '@culprit/contract/weekly-reports';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { readTimezone } from '../projects/project-texts.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { updateChannelRow } from './channels.queries.ts';
import { heldConfig } from './held-config.ts';
import { kindOf, readReportConfig } from './report-config.ts';
import type { ReportsRoom } from './reports.routes.ts';
import { requireChannel } from './require-channel.ts';

/**
 * Changes a channel (notifications.md 4.2). A config has to fit the stored channel.
 * @throws Problem `invalid_payload`, `blocked_target`, `weekly_report_channel_not_found`, `forbidden`,
 * `shared_access_suspended`, `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`
 */
export async function updateChannel(
  room: ReportsRoom,
  member: Member,
  id: string,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<WeeklyReportChannel> {
  const { database, plans } = room;
  const config = body.config === undefined ? null : readReportConfig(room.outbound, body.config);
  const schedule = body.schedule ?? null;
  if (schedule !== null) readTimezone(schedule.timezone);
  const access = await requireChannel(database, plans, member, id);
  const { channelId, organizationId } = access;
  if (config !== null && kindOf(config) !== access.kind) throw new Problem('invalid_payload');
  const channel = await database.transaction(async (transaction) => {
    const updated = await updateChannelRow(transaction, channelId, {
      config: config === null ? null : await heldConfig(transaction, room, organizationId, config),
      schedule,
      isEnabled: body.is_enabled ?? null,
    });
    if (updated === null) throw new Problem('weekly_report_channel_not_found');
    return updated;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'weekly_report_channel.updated',
    actorUserId: member.userId,
    subject: `weekly_report_channel:${channelId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return channel;
}
