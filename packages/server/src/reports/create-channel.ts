import type { BodyOf } from '@culprit/contract/endpoint';
import type {
  createWeeklyReportChannel as endpoint,
  WeeklyReportChannel,
} from '@culprit/contract/weekly-reports';
import { recordAudit } from '../audit/record-audit.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import { newUuid } from '../platform/ids.ts';
import { readTimezone } from '../projects/project-texts.ts';
import { requireProject } from '../projects/require-project.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { insertChannel, lockProjectAndCountChannels } from './channels.queries.ts';
import { heldConfig } from './held-config.ts';
import { kindOf, readReportConfig, SLACK_CHANNELS_MAX } from './report-config.ts';
import type { ReportsRoom } from './reports.routes.ts';

/**
 * Makes a channel (notifications.md 4.2). Its first report is the next that is due, or the one that was less than six
 * hours ago.
 * @throws Problem `invalid_payload`, `blocked_target`, `project_not_found`, `forbidden`, `shared_access_suspended`,
 * `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`, `weekly_report_channel_exists`,
 * `resource_limit_reached`
 */
export async function createChannel(
  room: ReportsRoom,
  member: Member,
  body: BodyOf<typeof endpoint>,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<WeeklyReportChannel> {
  const { database, plans } = room;
  const { channel: kind, schedule } = body;
  const config = readReportConfig(room.outbound, body.config);
  if (kindOf(config) !== kind) throw new Problem('invalid_payload');
  readTimezone(schedule.timezone);
  const access = await requireProject(database, plans, member.userId, body.project_id, 'admin');
  const { projectId, organizationId } = access;
  const channelId = newUuid();
  const channel = await database.transaction(async (transaction) => {
    const held = await heldConfig(transaction, room, organizationId, config);
    const channels = await lockProjectAndCountChannels(transaction, projectId, kind);
    if (channels === null) throw new Problem('project_not_found');
    if (kind === 'email' && channels > 0) throw new Problem('weekly_report_channel_exists');
    if (channels >= SLACK_CHANNELS_MAX) throw new Problem('resource_limit_reached');
    const isEnabled = body.is_enabled ?? true;
    return await insertChannel(transaction, {
      channelId,
      projectId,
      kind,
      config: held,
      schedule,
      isEnabled,
    });
  });
  await recordAudit(database, request, {
    action: 'weekly_report_channel.created',
    actorUserId: member.userId,
    organizationId,
    projectId,
    subject: `weekly_report_channel:${channelId}`,
    data: { channel: kind },
  });
  return channel;
}
