import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReports } from '../../src/notify/reports/create-reports.ts';
import { REPORT_TABLES } from '../../src/notify/reports/reports.tables.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { startRepeating } from '../../src/platform/jobs/repeat.ts';
import { createLogger } from '../../src/platform/log.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { newAddress } from '../support/people.ts';
import { daysOf, goTo, nextHour, reportClient, reportIsOver, reportsTo } from '../support/report-client.ts';
import {
  crowd,
  happened,
  lookOnce,
  occurred,
  opened,
  REPORTS_APP_URL,
  scheduled,
  startReporting,
} from './reported-projects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WEEK = 168 * HOUR;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startReporting();
});
afterAll(() => culprit.stop());

describe('making reports', () => {
  it('counts what happened in the seven days up to the hour and nothing around them', async () => {
    const next = await nextHour(culprit);
    const { project, email, channelId } = await scheduled(culprit, next, { name: 'A <b>& B' });
    await happened(culprit, project, 'incident.opened', next.dueAtMs - WEEK - 1);
    await happened(culprit, project, 'incident.opened', next.dueAtMs - WEEK);
    await happened(culprit, project, 'incident.opened', next.dueAtMs - 1);
    await happened(culprit, project, 'incident.opened', next.dueAtMs);
    await happened(culprit, project, 'incident.resolved', next.dueAtMs - HOUR);
    await happened(culprit, project, 'incident.regressed', next.dueAtMs - HOUR);
    await happened(culprit, project, 'bundle.created', next.dueAtMs - HOUR);
    await happened(culprit, project, 'bundle.updated', next.dueAtMs - HOUR);
    const ratios = [3.2, 40, 7.25, undefined, 5, 12, 4];
    const spiked: string[] = [];
    for (const [n, ratio] of ratios.entries()) {
      const incidentId = await opened(culprit, project, `Spike <${n}>\u0007`, next.dueAtMs - HOUR);
      // The worst of its spikes counts.
      await happened(culprit, project, 'incident.spike_detected', next.dueAtMs - HOUR, { incidentId, ratio });
      await happened(culprit, project, 'incident.spike_detected', next.dueAtMs - HOUR, {
        incidentId,
        ratio: 3,
      });
      spiked.push(incidentId);
    }
    await occurred(culprit, spiked[1], next.dueAtMs - WEEK - HOUR, 4);
    await occurred(culprit, spiked[1], next.dueAtMs - HOUR, 20);
    await occurred(culprit, spiked[1], next.dueAtMs - MINUTE, 3);
    await goTo(culprit, next.dueAtMs);
    await reportIsOver(culprit, channelId, next.dueAtMs);
    const [mail] = await reportsTo(culprit, email);
    expect(mail?.subject).toBe(`Weekly report: A <b>& B, ${daysOf(next)}`);
    expect(mail?.text).toContain(
      [
        'A resolved incident came back.',
        '',
        'Events: 23 (4 the week before)',
        'New incidents: 2 (1 the week before)',
        'Regressions: 1 (0 the week before)',
        'Resolved incidents: 1 (0 the week before)',
        'Incidents with evidence: 1',
        'New insights: 0',
        '',
        'Incidents to look at:',
        '',
        ...[1, 5, 2, 4, 6].flatMap((n) => [
          `- Spike <${n}>`,
          `  checkout-api, production${n === 1 ? ', 23 events' : ''}, ${ratios[n]?.toFixed(1)} times the usual rate`,
          `  ${REPORTS_APP_URL}/incidents/inc_${spiked[n]}`,
        ]),
        '',
        `Open overview: ${REPORTS_APP_URL}/projects/${project.projectId}`,
        '',
      ].join('\n'),
    );
    expect(mail?.html).toContain('Spike &lt;1&gt;');
    expect(mail?.html).toContain('A &lt;b&gt;&amp; B');
    expect(mail?.html).not.toContain('<b>&');
  });

  it('puts projects with the same recipients and window into one mail, quiet ones left out', async () => {
    const next = await nextHour(culprit);
    const email = newAddress('several');
    const also = newAddress('also');
    const [first, second, quiet, apart] = [
      await scheduled(culprit, next, { email, name: 'First' }),
      await scheduled(culprit, next, { email, name: 'Second' }),
      await scheduled(culprit, next, { email, name: 'Quiet' }),
      await scheduled(culprit, next, { email, name: 'Apart' }),
    ];
    // The same two in another order, and one of them alone.
    for (const [{ project, channelId }, to] of [
      [first, [email, also]],
      [second, [also, email]],
      [quiet, [email, also]],
    ] as const) {
      await reportClient(culprit, project).update(channelId, { config: { to: [...to] } });
    }
    const busy = [first, second, apart].map(({ project }) => project);
    await happened(culprit, busy, 'incident.opened', next.dueAtMs - MINUTE);
    await goTo(culprit, next.dueAtMs);
    for (const { channelId } of [first, second, quiet, apart]) {
      await reportIsOver(culprit, channelId, next.dueAtMs);
    }
    const mails = await reportsTo(culprit, email);
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      `Weekly report: 2 projects, ${daysOf(next)}`,
      `Weekly report: Apart, ${daysOf(next)}`,
    ]);
    const shared = mails.find(({ subject }) => subject.includes('2 projects'));
    for (const { project } of [first, second]) {
      expect(shared?.text).toContain(`${REPORTS_APP_URL}/projects/${project.projectId}\n`);
    }
    expect(shared?.text).not.toContain('Quiet');
    expect(await reportsTo(culprit, also)).toMatchObject([{ text: shared?.text }]);
  });

  it('makes each report once, however many workers look at the same moment', async () => {
    await culprit.stopWorker();
    const next = await nextHour(culprit);
    // One step takes a hundred, and so ends within the three projects of an address.
    const emails = Array.from({ length: 35 }, () => newAddress('crowd'));
    const rows = await crowd(culprit, next, [...emails, ...emails, ...emails]);
    await happened(culprit, rows, 'incident.opened', next.dueAtMs - MINUTE);
    const before = (await readdir(culprit.mailDirectory)).length;
    const slots = await countRows(culprit, 'weekly_reports');
    await goTo(culprit, next.dueAtMs);
    const pools: Database[] = [];
    const log = createLogger({ level: 'fatal', role: 'test', toStandardError: true });
    const schedulers = Array.from({ length: 4 }, () => {
      const database = openDatabase({
        url: culprit.databaseUrl,
        connectionsMax: 2,
        applicationName: 'test-scheduler',
      });
      pools.push(database);
      const keys = deriveKeys(culprit.dataKey);
      return startRepeating({
        name: 'make-reports',
        intervalMs: 1,
        async work(stopping) {
          while (!stopping.aborted && (await createReports({ database, keys, appUrl: REPORTS_APP_URL })));
        },
        log,
      });
    });
    await culprit.startWorker();
    for (const { channelId } of rows) await reportIsOver(culprit, channelId, next.dueAtMs);
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
    await Promise.all(pools.map((pool) => pool.close()));
    expect((await readdir(culprit.mailDirectory)).length - before).toBe(emails.length);
    expect(await countRows(culprit, 'weekly_reports')).toBe(slots + rows.length);
    const [first] = emails;
    expect((await reportsTo(culprit, first ?? '')).map(({ subject }) => subject)).toEqual([
      `Weekly report: 3 projects, ${daysOf(next)}`,
    ]);
  });

  it('sends nothing for a channel that is disabled, or of a project that is deleted', async () => {
    const next = await nextHour(culprit);
    const disabled = await scheduled(culprit, next);
    const deleted = await scheduled(culprit, next);
    await happened(culprit, [disabled.project, deleted.project], 'incident.opened', next.dueAtMs - MINUTE);
    await reportClient(culprit, disabled.project).update(disabled.channelId, { is_enabled: false });
    await culprit.database.query(
      {
        name: 'test-delete-project',
        text: 'update projects set deleted_at = culprit_now() where project_id = $1',
      },
      [parseId(['proj'], deleted.project.projectId)],
    );
    const witness = await scheduled(culprit, next);
    await goTo(culprit, next.dueAtMs);
    await reportIsOver(culprit, witness.channelId, next.dueAtMs);
    for (const { email } of [disabled, deleted]) expect(await reportsTo(culprit, email)).toEqual([]);
    // Enabled again within six hours, it is late but sent.
    await reportClient(culprit, disabled.project).update(disabled.channelId, { is_enabled: true });
    await reportIsOver(culprit, disabled.channelId, next.dueAtMs);
    expect(await reportsTo(culprit, disabled.email)).toHaveLength(1);
  });

  it('forgets which weeks were told after a month, and no sooner', async () => {
    const { channelId } = await scheduled(culprit, await nextHour(culprit));
    await culprit.database.query(
      {
        name: 'test-slots',
        text: `insert into weekly_reports (channel_id, week, made_at)
          select $1, '2026-01-05'::date + 7 * n, culprit_now() - n * interval '29 days' from generate_series(0, 2) n`,
      },
      [channelId],
    );
    await deleteExpiredRows(culprit.database, REPORT_TABLES);
    expect(await countRows(culprit, 'weekly_reports where channel_id = $1', [channelId])).toBe(2);
  });

  it('leaves no part of a report behind when its transaction fails', async () => {
    await culprit.stopWorker();
    const next = await nextHour(culprit);
    const { project, channelId } = await scheduled(culprit, next);
    await happened(culprit, project, 'incident.opened', next.dueAtMs - MINUTE);
    await goTo(culprit, next.dueAtMs);
    const failing: Database = {
      ...culprit.database,
      transaction: (work) =>
        culprit.database.transaction(async (transaction) => {
          await work(transaction);
          throw new Error('the worker ends here');
        }),
    };
    await expect(lookOnce(culprit, failing)).rejects.toThrow('the worker ends here');
    expect(await countRows(culprit, 'weekly_reports where channel_id = $1', [channelId])).toBe(0);
    expect(await countRows(culprit, `jobs where lane = 'mail'`)).toBe(0);
    await culprit.startWorker();
    await reportIsOver(culprit, channelId, next.dueAtMs);
    expect(await countRows(culprit, 'weekly_reports where channel_id = $1', [channelId])).toBe(1);
  });
});
