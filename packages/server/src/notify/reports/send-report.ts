import { type sendWeeklyReport as endpoint, SEND_NOW_SECONDS } from '@culprit/contract/alerts/weekly-reports';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { prefixedId } from '../../platform/ids.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { limitSentMail } from '../../workspace/accounts/sent-mail-rate.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { kindOf } from './report-config.ts';
import { type ReportDates, reportMail } from './report-mail.ts';
import { reportSlackMessage } from './report-slack.ts';
import { queueSlackReports } from './reports.jobs.ts';
import { resolveConfig } from './resolve-config.ts';
import { dateIn } from './schedule.ts';
import { claimSendNow, findSendNow } from './send-now.queries.ts';
import { readActivities } from './weekly-activity.queries.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * Queues the report of the last seven days for a channel (docs/contract/server-additions.md S17). It takes no slot of a
 * week, so the next planned report comes all the same.
 * @throws Problem `weekly_report_channel_not_found`, `weekly_report_channel_disabled`, `rate_limited`,
 * `mail_not_configured`, `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`
 */
export async function sendReport(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<ReportDates> {
  const { database, keys, appUrl, signIn } = runtime;
  const { access, caller } = request;
  const { projectId, organizationId, recordId: channelId } = access;
  const dates = await database.transaction(async (transaction) => {
    const channel = await claimSendNow(transaction, projectId, channelId, SEND_NOW_SECONDS);
    if (channel === null) throw await refusal(transaction, projectId, channelId);
    const { config, timezone, nowMs } = channel;
    if ('to' in config && signIn.mailTransport === 'off') throw new Problem('mail_not_configured');
    await resolveConfig(transaction, runtime, organizationId, config);
    const fromMs = nowMs - WEEK_MS;
    const [activity] = await readActivities(transaction, [{ projectId, fromMs, toMs: nowMs }]);
    if (activity === undefined) throw new Error('a window was not counted');
    const report = {
      projectId: prefixedId('proj', projectId),
      projectName: channel.projectName,
      activity,
    };
    const span = { from: dateIn(timezone, fromMs), to: dateIn(timezone, nowMs) };
    if ('to' in config) {
      const mail = reportMail([report], span, appUrl);
      for (const to of config.to) {
        await limitSentMail(transaction, runtime, { userId: caller.userId, to });
        await queueMail(transaction, keys.queuedMail.reveal(), { to, ...mail });
      }
    } else {
      const message = reportSlackMessage(report, span, appUrl);
      // Its slot is this moment, separate from that of the week.
      await queueSlackReports(transaction, [{ channelId, projectId, week: `now:${nowMs}`, message }]);
    }
    return { span, kind: kindOf(config) };
  });
  await recordAudit(database, request, {
    ...access,
    action: 'weekly_report_channel.sent',
    actorUserId: caller.userId,
    subject: `weekly_report_channel:${channelId}`,
    data: { channel: dates.kind },
  });
  return dates.span;
}

async function refusal(transaction: Transaction, projectId: string, channelId: string): Promise<Problem> {
  const channel = await findSendNow(transaction, projectId, channelId);
  if (channel === null) return new Problem('weekly_report_channel_not_found');
  if (!channel.isEnabled) return new Problem('weekly_report_channel_disabled');
  const passedSeconds = Math.max(0, channel.passedSeconds ?? 0);
  return new Problem('rate_limited', {
    retryAfterSeconds: Math.max(1, Math.ceil(SEND_NOW_SECONDS - passedSeconds)),
  });
}
