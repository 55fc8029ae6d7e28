import { WEEKDAYS } from '@culprit/contract/alerts/weekdays';
import * as reports from '@culprit/contract/alerts/weekly-reports';
import { createClient } from '@culprit/contract/endpoints/client';
import { dateIn } from '../../src/notify/reports/schedule.ts';
import type { MailFile } from '../../src/platform/mail/file-transport.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { eventually } from './eventually.ts';
import { expectOk } from './expect-ok.ts';
import { mailsTo } from './mailbox.ts';
import { holdClock, moveClock } from './move-clock.ts';

/** A schedule, and the moment of its next report in milliseconds since the epoch. */
export interface NextReport {
  schedule: reports.ReportSchedule;
  dueAtMs: number;
}

/** What an admin does with the weekly reports of one project, over HTTP; throws for every other answer than success. */
export interface ReportClient {
  list(): Promise<reports.WeeklyReportChannel[]>;
  /** The channel a project begins with. */
  mailChannel(): Promise<reports.WeeklyReportChannel>;
  createSlack(
    config: reports.ReportConfigRequest,
    schedule: reports.ReportSchedule,
  ): Promise<reports.WeeklyReportChannel>;
  update(
    channelId: string,
    change: {
      config?: reports.ReportConfigRequest;
      schedule?: reports.ReportSchedule;
      is_enabled?: boolean;
    },
  ): Promise<reports.WeeklyReportChannel>;
  /** Has the mail channel report at the time of this schedule. */
  reportAt(schedule: reports.ReportSchedule): Promise<reports.WeeklyReportChannel>;
}

export function reportClient(
  culprit: Pick<TestCulprit, 'url'>,
  project: Pick<TestProject, 'projectId' | 'memberToken'>,
): ReportClient {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });

  const client: ReportClient = {
    async list() {
      const query = { project_id: project.projectId, limit: 100 };
      return expectOk(await api.call(reports.listWeeklyReportChannels, { query })).channels;
    },
    async mailChannel() {
      const channel = (await client.list()).find((each) => each.channel === 'email');
      if (channel === undefined) throw new Error('the project has no mail channel');
      return channel;
    },
    async createSlack(config, schedule) {
      const body = { project_id: project.projectId, channel: 'slack', config, schedule } as const;
      return expectOk(await api.call(reports.createWeeklyReportChannel, { body })).channel;
    },
    async update(id, body) {
      return expectOk(await api.call(reports.updateWeeklyReportChannel, { params: { id }, body })).channel;
    },
    async reportAt(schedule) {
      return await client.update((await client.mailChannel()).channel_id, { schedule });
    },
  };
  return client;
}

/** The next full hour by the database clock, as a schedule in UTC; at least so far ahead that it has not begun. */
export async function nextHour(culprit: Pick<TestCulprit, 'database'>): Promise<NextReport> {
  const dueAtMs = Math.ceil((await readClock(culprit)) / 3_600_000 + 0.2) * 3_600_000;
  const date = new Date(dueAtMs);
  const day = WEEKDAYS[(date.getUTCDay() + 6) % 7] ?? 'monday';
  return {
    schedule: { day_of_week: day, hour_of_day: date.getUTCHours(), timezone: 'UTC' },
    dueAtMs,
  };
}

/** The database clock goes on from this moment. */
export async function goTo(culprit: Pick<TestCulprit, 'database'>, timeMs: number): Promise<void> {
  await moveClock(culprit.database, timeMs - Date.now());
}

/** The database clock stands still at this moment. */
export async function standAt(culprit: Pick<TestCulprit, 'database'>, timeMs: number): Promise<void> {
  await holdClock(culprit.database, timeMs);
}

async function readClock({ database }: Pick<TestCulprit, 'database'>): Promise<number> {
  const [row] = await database.query<{ now: number }>({
    name: 'test-clock',
    text: 'select culprit_now() as now',
  });
  return row?.now ?? 0;
}

/** Reports that came to an address, in the order in which they were queued. */
export async function reportsTo(
  { mailDirectory }: Pick<TestCulprit, 'mailDirectory'>,
  email: string,
): Promise<MailFile[]> {
  return await mailsTo(mailDirectory, email, 'Weekly report: ');
}

/** Waits until the scheduler has looked at a channel whose report was due then, and everything it queued has left. */
export async function reportIsOver(
  culprit: Pick<TestCulprit, 'database'>,
  channelId: string,
  dueAtMs: number,
): Promise<void> {
  await eventually(async () => {
    const [row] = await culprit.database.query<{ is_over: boolean }>(
      {
        name: 'test-report-is-over',
        text: `select coalesce(next_due_at > $2, false)
            and not exists (select from jobs where lane in ('mail', 'reports') and run_at <= culprit_now()) as is_over
          from weekly_report_channels where channel_id = $1`,
      },
      [channelId, new Date(dueAtMs)],
    );
    if (row?.is_over !== true) throw new Error('the report is not over');
  });
}

/** The days a report of this time speaks of, as its subject has them. */
export function daysOf({ schedule, dueAtMs }: NextReport): string {
  const { timezone } = schedule;
  return `${dateIn(timezone, dueAtMs - 7 * 86_400_000)} to ${dateIn(timezone, dueAtMs)}`;
}
