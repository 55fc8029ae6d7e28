import type {
  updateWeeklyReportChannel as endpoint,
  ReportConfig,
  WeeklyReportChannel,
} from '@culprit/contract/alerts/weekly-reports';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { parseTimezone } from '../../workspace/projects/project-texts.ts';
import { findChannelKind, updateChannelRow } from './channels.queries.ts';
import { kindOf, parseReportConfig } from './report-config.ts';
import { resolveConfig } from './resolve-config.ts';

/**
 * Returns the config of a change in its stored form; null for none.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function checkChannelChange(
  { outbound }: Runtime,
  { body }: { body: BodyOf<typeof endpoint> },
): ReportConfig | null {
  const config = body.config === undefined ? null : parseReportConfig(outbound, body.config);
  if (body.schedule !== undefined) parseTimezone('/schedule/timezone', body.schedule.timezone);
  return config;
}

/**
 * Changes a channel (docs/contract/notifications.md 4.2). A config has to fit the stored channel.
 * @throws Problem `invalid_payload`, `weekly_report_channel_not_found` when it was deleted,
 * `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`
 */
export async function updateChannel(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint, ReportConfig | null>,
): Promise<WeeklyReportChannel> {
  const { database, keys } = runtime;
  const { access, caller, body, checked: config } = request;
  const { projectId, organizationId, recordId: channelId } = access;
  const channel = await database.transaction(async (transaction) => {
    const kind = await findChannelKind(transaction, projectId, channelId);
    if (kind === null) throw new Problem('weekly_report_channel_not_found');
    if (config !== null && kindOf(config) !== kind) {
      throw invalidPayload('/config', 'is not one of this channel');
    }
    const updated = await updateChannelRow(transaction, keys.receiverAddresses, projectId, channelId, {
      config: config === null ? null : await resolveConfig(transaction, runtime, organizationId, config),
      schedule: body.schedule ?? null,
      isEnabled: body.is_enabled ?? null,
    });
    if (updated === null) throw new Problem('weekly_report_channel_not_found');
    return updated;
  });
  await recordAudit(database, request, {
    ...access,
    action: 'weekly_report_channel.updated',
    actorUserId: caller.userId,
    subject: `weekly_report_channel:${channelId}`,
    data: { fields: Object.keys(body).join(' ') },
  });
  return channel;
}
