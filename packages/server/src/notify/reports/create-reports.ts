import type { ReportConfig } from '@culprit/contract/alerts/weekly-reports';
import type { Transaction } from '../../platform/db/database.ts';
import { prefixedId } from '../../platform/ids.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import type { Runtime } from '../../runtime.ts';
import {
  claimScheduler,
  claimSlots,
  type DueChannel,
  lockDue,
  lockUnplanned,
  planChannels,
  resetFuturePlans,
} from './due-reports.queries.ts';
import { kindOf } from './report-config.ts';
import { type ReportDates, reportMail } from './report-mail.ts';
import { reportSlackMessage } from './report-slack.ts';
import { queueSlackReports } from './reports.jobs.ts';
import { dateIn, nextOccurrence, type Occurrence } from './schedule.ts';
import { readActivities } from './weekly-activity.queries.ts';
import { isQuiet, type ProjectReport } from './weekly-activity.ts';

type ReportOptions = Pick<Runtime, 'database' | 'keys' | 'appUrl'>;

/** A report that is later than this is skipped (docs/contract/notifications.md 4.3). */
const LATE_MAX_MS = 6 * 3_600_000;
/** Channels of one transaction, so that it is short; projects beyond it go into a mail of their own. */
const CHANNELS_PER_STEP = 100;

/**
 * Creates reports that are due: counts, takes a slot for each channel and week, and queues what is sent, all in one
 * transaction, of one process at a time. So a report is created once, even if workers stop or start during it or the
 * clock changes, and projects that share a mail are seen together.
 * @returns true if there may be more
 */
export async function createReports({ database, keys, appUrl }: ReportOptions): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    if (!(await claimScheduler(transaction))) return false;
    const reset = await resetFuturePlans(transaction, CHANNELS_PER_STEP);
    const unplanned = await lockUnplanned(transaction, CHANNELS_PER_STEP);
    await planChannels(
      transaction,
      unplanned.map(({ channelId, schedule, nowMs }) => {
        // Also what is a little late already, so that nothing is lost over a change of the schedule or the clock.
        const { dueAtMs } = nextOccurrence(schedule, nowMs - LATE_MAX_MS - 1);
        return { channelId, dueAtMs };
      }),
    );
    // All are planned before any is created: channels that share a mail may be far apart among them.
    if (reset === CHANNELS_PER_STEP || unplanned.length === CHANNELS_PER_STEP) return true;
    const held = await lockDue(transaction, CHANNELS_PER_STEP);
    const isMore = held.length === CHANNELS_PER_STEP;
    await report(transaction, isMore ? withoutLastGroup(held) : held, { keys, appUrl });
    return isMore;
  });
}

/**
 * Removes the last group of a full page, which may continue on the next page; it is processed then, unless the page has
 * no other group.
 */
function withoutLastGroup(channels: readonly DueChannel[]): readonly DueChannel[] {
  const last = channels.at(-1);
  if (last === undefined) return channels;
  const whole = channels.filter(
    (channel) =>
      channel.plannedMs !== last.plannedMs || recipientsKey(channel.config) !== recipientsKey(last.config),
  );
  return whole.length === 0 ? channels : whole;
}

/** A channel with the report that is due. */
interface DueReport extends DueChannel {
  occurrence: Occurrence;
}

/** Plans held channels anew, and queues the reports of those that are in time and not quiet. */
async function report(
  transaction: Transaction,
  channels: readonly DueChannel[],
  options: Omit<ReportOptions, 'database'>,
): Promise<void> {
  // Anew from the schedule: what is known of zones may have changed since it was planned.
  const looked = channels.map((channel) => ({
    ...channel,
    occurrence: nextOccurrence(channel.schedule, channel.plannedMs - 1),
  }));
  await planChannels(
    transaction,
    looked.map(({ channelId, schedule, occurrence: { dueAtMs }, nowMs }) => {
      if (dueAtMs > nowMs) return { channelId, dueAtMs };
      const next = nextOccurrence(schedule, Math.max(dueAtMs, nowMs - LATE_MAX_MS - 1));
      return { channelId, dueAtMs: next.dueAtMs };
    }),
  );
  const timely = looked.filter(
    ({ occurrence: { dueAtMs }, nowMs }) => dueAtMs <= nowMs && nowMs - dueAtMs <= LATE_MAX_MS,
  );
  if (timely.length === 0) return;
  const windows = timely.map(({ projectId, occurrence: { fromMs, dueAtMs } }) => ({
    projectId,
    fromMs,
    toMs: dueAtMs,
  }));
  const activities = await readActivities(transaction, windows);
  const lively = timely.flatMap((due, n) => {
    const activity = activities[n];
    if (activity === undefined || isQuiet(activity)) return [];
    const { projectId, projectName } = due;
    return [{ due, report: { projectId: prefixedId('proj', projectId), projectName, activity } }];
  });
  if (lively.length === 0) return;
  const slots = lively.map(({ due }) => ({ channelId: due.channelId, week: due.occurrence.week }));
  const taken = await claimSlots(transaction, slots);
  await queueReports(
    transaction,
    lively.filter(({ due }) => taken.has(due.channelId)),
    options,
  );
}

interface MadeReport {
  due: DueReport;
  report: ProjectReport;
}

async function queueReports(
  transaction: Transaction,
  made: readonly MadeReport[],
  { keys, appUrl }: Omit<ReportOptions, 'database'>,
): Promise<void> {
  const toSlack = made.filter(({ due }) => kindOf(due.config) === 'slack');
  await queueSlackReports(
    transaction,
    toSlack.map(({ due, report }) => ({
      channelId: due.channelId,
      projectId: due.projectId,
      week: due.occurrence.week,
      message: reportSlackMessage(report, datesOf(due), appUrl),
    })),
  );
  for (const { to: addresses, dates, reports } of mailGroups(made)) {
    const mail = reportMail(reports, dates, appUrl);
    for (const to of addresses) await queueMail(transaction, keys.queuedMail.reveal(), { to, ...mail });
  }
}

interface MailGroup {
  to: readonly string[];
  dates: ReportDates;
  reports: ProjectReport[];
}

/** One mail for those who get several projects over the same window (docs/contract/notifications.md 4.3). */
function mailGroups(made: readonly MadeReport[]): MailGroup[] {
  const groups = new Map<string, MailGroup>();
  for (const { due, report } of made) {
    if (!('to' in due.config)) continue;
    const { fromMs, dueAtMs } = due.occurrence;
    const key = `${fromMs} ${dueAtMs} ${recipientsKey(due.config)}`;
    const group = groups.get(key) ?? { to: due.config.to, dates: datesOf(due), reports: [] };
    group.reports.push(report);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The same for the same recipients in any order; no address holds a space. */
function recipientsKey(config: ReportConfig): string {
  return 'to' in config ? [...config.to].sort().join(' ') : '';
}

function datesOf({ schedule, occurrence }: DueReport): ReportDates {
  const { timezone } = schedule;
  return { from: dateIn(timezone, occurrence.fromMs), to: dateIn(timezone, occurrence.dueAtMs) };
}
