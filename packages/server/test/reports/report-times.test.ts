// Proves 17.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { goTo, nextHour, reportClient, reportIsOver, reportsTo, standAt } from '../support/report-client.ts';
import { happened, lookOnce, scheduled, startReporting } from './reported-projects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WEEK = 168 * HOUR;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startReporting();
});
afterAll(() => culprit.stop());

async function planIs(channelId: string, dueAtMs: number): Promise<void> {
  await eventually(async () => {
    const planned = 'weekly_report_channels where channel_id = $1 and next_due_at = $2';
    const isPlanned = await countRows(culprit, planned, [channelId, new Date(dueAtMs)]);
    if (isPlanned === 0) throw new Error('not planned for that time');
  });
}

describe('the time of a report', () => {
  it('sends late within six hours, and skips what is later', async () => {
    await culprit.stopWorker();
    const next = await nextHour(culprit);
    const { project, email, channelId } = await scheduled(culprit, next);
    await happened(culprit, project, 'incident.opened', next.dueAtMs - MINUTE);
    // Planned, so that its time can be missed.
    await lookOnce(culprit);
    await goTo(culprit, next.dueAtMs + 6 * HOUR - 5 * MINUTE);
    await culprit.startWorker();
    await reportIsOver(culprit, channelId, next.dueAtMs);
    expect(await reportsTo(culprit, email)).toHaveLength(1);

    await culprit.stopWorker();
    await happened(culprit, project, 'incident.opened', next.dueAtMs + WEEK - MINUTE);
    await goTo(culprit, next.dueAtMs + WEEK + 6 * HOUR + 1000);
    await culprit.startWorker();
    await reportIsOver(culprit, channelId, next.dueAtMs + WEEK);
    expect(await reportsTo(culprit, email)).toHaveLength(1);

    await happened(culprit, project, 'incident.opened', next.dueAtMs + 2 * WEEK - MINUTE);
    await goTo(culprit, next.dueAtMs + 2 * WEEK);
    await reportIsOver(culprit, channelId, next.dueAtMs + 2 * WEEK);
    expect(await reportsTo(culprit, email)).toHaveLength(2);
  });

  it('makes one report a week though the clock jumps by two hours, both ways', async () => {
    const next = await nextHour(culprit);
    const { project, email, channelId } = await scheduled(culprit, next);
    const early = await scheduled(culprit, next);
    await happened(culprit, project, 'incident.opened', next.dueAtMs - WEEK / 2);
    await standAt(culprit, next.dueAtMs - HOUR);
    await standAt(culprit, next.dueAtMs + HOUR);
    for (const each of [channelId, early.channelId]) await reportIsOver(culprit, each, next.dueAtMs);
    // Back before the hour: what happens until then is still to be told.
    await standAt(culprit, next.dueAtMs - HOUR);
    await planIs(early.channelId, next.dueAtMs);
    await planIs(channelId, next.dueAtMs);
    await happened(culprit, early.project, 'incident.opened', next.dueAtMs - MINUTE);
    await goTo(culprit, next.dueAtMs);
    for (const each of [channelId, early.channelId]) await reportIsOver(culprit, each, next.dueAtMs);
    expect(await reportsTo(culprit, email)).toHaveLength(1);
    expect(await reportsTo(culprit, early.email)).toHaveLength(1);
    expect(await countRows(culprit, 'weekly_reports where channel_id = $1', [channelId])).toBe(1);
  });

  it('makes one report a week though its schedule is changed after it', async () => {
    const next = await nextHour(culprit);
    const { project, email, channelId } = await scheduled(culprit, next);
    await happened(culprit, project, 'incident.opened', next.dueAtMs - MINUTE);
    await goTo(culprit, next.dueAtMs);
    await reportIsOver(culprit, channelId, next.dueAtMs);
    const again = await nextHour(culprit);
    await reportClient(culprit, project).reportAt(again.schedule);
    await happened(culprit, project, 'incident.opened', again.dueAtMs - MINUTE);
    await goTo(culprit, again.dueAtMs);
    await reportIsOver(culprit, channelId, again.dueAtMs);
    const isNewWeek = again.schedule.day_of_week === 'monday' && again.schedule.hour_of_day === 0;
    expect(await reportsTo(culprit, email)).toHaveLength(isNewWeek ? 2 : 1);
  });
});
