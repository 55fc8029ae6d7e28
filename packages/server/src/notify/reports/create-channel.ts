import type {
  createWeeklyReportChannel as endpoint,
  ReportConfig,
  WeeklyReportChannel,
} from '@culprit/contract/alerts/weekly-reports';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { parseTimezone } from '../../workspace/projects/project-texts.ts';
import { insertChannel, lockProjectAndCountChannels } from './channels.queries.ts';
import { kindOf, parseReportConfig, SLACK_CHANNELS_MAX } from './report-config.ts';
import { resolveConfig } from './resolve-config.ts';

/**
 * Returns the config of a new channel in its stored form.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkNewChannel(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): ReportConfig {
  const config = parseReportConfig(outbound, body.config);
  if (kindOf(config) !== body.channel) throw invalidPayload('/config', 'is not one of this channel');
  parseTimezone('/schedule/timezone', body.schedule.timezone);
  return config;
}

/**
 * Creates a channel (docs/contract/notifications.md 4.2). Its first report is the next that is due, or the one that was
 * due less than six hours ago.
 * @throws Problem `project_not_found` when it was deleted, `slack_destination_not_found`, `upgrade_required`,
 * `slack_not_configured`, `weekly_report_channel_exists`, `resource_limit_reached`
 */
export async function createChannel(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, ReportConfig>,
): Promise<WeeklyReportChannel> {
  const { database, keys } = runtime;
  const { access, caller, body, checked } = request;
  const { projectId, organizationId } = access;
  const { channel: kind, schedule } = body;
  const channelId = newUuid();
  const channel = await database.transaction(async (transaction) => {
    const config = await resolveConfig(transaction, runtime, organizationId, checked);
    const channels = await lockProjectAndCountChannels(transaction, projectId, kind);
    if (channels === null) throw new Problem('project_not_found');
    if (kind === 'email' && channels > 0) throw new Problem('weekly_report_channel_exists');
    if (channels >= SLACK_CHANNELS_MAX) throw new Problem('resource_limit_reached');
    const isEnabled = body.is_enabled ?? true;
    return await insertChannel(transaction, keys.receiverAddresses, {
      channelId,
      projectId,
      kind,
      config,
      schedule,
      isEnabled,
    });
  });
  await recordAudit(database, request, {
    ...access,
    action: 'weekly_report_channel.created',
    actorUserId: caller.userId,
    subject: `weekly_report_channel:${channelId}`,
    data: { channel: kind },
  });
  return channel;
}
