import { createClient } from '@culprit/contract/endpoints/client';
import { getCheckLatency, listCheckDays } from '@culprit/contract/monitor/check-history';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AVAILABILITY_TABLES } from '../../src/monitor/availability/availability.tables.ts';
import { parseId } from '../../src/platform/ids.ts';
import { type CheckClient, checkClient, LOCAL_SITES, type Site, startSite } from '../support/check-client.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { managementClient } from '../support/management-client.ts';
import { holdClock } from '../support/move-clock.ts';
import { setPlanOf } from '../support/organizations.ts';

/** What the runs of a day add up to (docs/contract/account.md 7.6), on a clock that stands where a test puts it. */

const DAY_MS = 86_400_000;
const MIDNIGHT = Date.UTC(2030, 4, 10);

let culprit: TestCulprit;
let site: Site;
beforeAll(async () => {
  site = await startSite();
  culprit = await startCulprit({ plans: HOSTED, duties: [], retryScale: 0.02, outbound: LOCAL_SITES });
});
afterAll(async () => {
  await culprit.stop();
  await site.close();
});

interface Diary {
  project: TestProject;
  checks: CheckClient;
  checkId: string;
  /** Puts the clock to a moment at which the check is due, and waits for its run. */
  runAt(atMs: number, status: number): Promise<void>;
  at(atMs: number): Promise<void>;
}

/** A check that was made, and ran, at a moment. */
async function keepDiary(
  atMs: number,
  status: number,
  body: Partial<Parameters<CheckClient['create']>[0]> = {},
): Promise<Diary> {
  await holdClock(culprit.database, atMs);
  const project = await culprit.createProject({ plan: 'team' });
  const checks = checkClient(culprit, project);
  site.answer(status);
  const { check_id: checkId } = await checks.create({ url: site.url, interval_seconds: 3600, ...body });
  await checks.ran(checkId, 1);
  return {
    project,
    checks,
    checkId,
    at: (moment) => holdClock(culprit.database, moment),
    async runAt(moment, answer) {
      site.answer(answer);
      const { last_checked_at: before } = await checks.read(checkId);
      await holdClock(culprit.database, moment);
      await eventually(async () => {
        const { last_checked_at: now } = await checks.read(checkId);
        if (now === before) throw new Error('it did not run yet');
      });
    },
  };
}

const HOUR_MS = 3_600_000;

describe('a day of a check', () => {
  it('is operational with successes only, and has their figures', async () => {
    const { checks, checkId, project, runAt } = await keepDiary(MIDNIGHT, 200);
    await runAt(MIDNIGHT + HOUR_MS, 204);
    const [first, second] = (await checks.results(checkId)).map((result) => result.duration_ms);
    expect(await checks.days(checkId)).toEqual([
      {
        check_id: checkId,
        project_id: project.projectId,
        day: '2030-05-10',
        state: 'operational',
        total_checks: 2,
        successful_checks: 2,
        failed_checks: 0,
        degraded_checks: 0,
        avg_duration_ms: Math.round(((first ?? 0) + (second ?? 0)) / 2),
        first_checked_at: '2030-05-10T00:00:00.000Z',
        last_checked_at: '2030-05-10T01:00:00.000Z',
        downtime_seconds: 0,
        incident_ids: [],
      },
    ]);
    await checks.delete(checkId);
  });

  //
  it('is degraded below the threshold, and down with the run that reaches it', async () => {
    const { checks, checkId, runAt, at } = await keepDiary(MIDNIGHT, 500);
    await runAt(MIDNIGHT + HOUR_MS, 500);
    expect(await checks.days(checkId)).toMatchObject([
      {
        state: 'degraded',
        failed_checks: 2,
        avg_duration_ms: null,
        incident_ids: [],
        downtime_seconds: 3600,
      },
    ]);
    await runAt(MIDNIGHT + 2 * HOUR_MS, 500);
    const [day] = await checks.days(checkId);
    expect(day).toMatchObject({ state: 'down', total_checks: 3, downtime_seconds: 7200 });
    expect(day?.incident_ids).toEqual([expect.stringMatching(/^inc_[0-9a-f-]{36}$/)]);
    // Until its next run, one that failed counts as long as it lasts, at most an interval.
    await at(MIDNIGHT + 2 * HOUR_MS + 60_000);
    expect(await checks.days(checkId)).toMatchObject([{ downtime_seconds: 7260 }]);
    await checks.update(checkId, { enabled: false });
    await at(MIDNIGHT + 9 * HOUR_MS);
    expect(await checks.days(checkId)).toMatchObject([{ downtime_seconds: 10_800, state: 'down' }]);
    await checks.delete(checkId);
  });

  it('is down while an incident stays open all day, and not on the day on which it recovers', async () => {
    const start = MIDNIGHT + 23 * HOUR_MS;
    const { checks, checkId, runAt } = await keepDiary(start, 500, {
      failure_threshold: 1,
      recovery_threshold: 1,
      interval_seconds: 43_200,
    });
    for (const halfDay of [1, 2, 3]) await runAt(start + halfDay * 12 * HOUR_MS, 500);
    await runAt(start + 4 * 12 * HOUR_MS, 200);
    await runAt(start + 5 * 12 * HOUR_MS, 200);
    const days = await checks.days(checkId);
    expect(
      days.map(({ day, state, total_checks: total, failed_checks: failed }) => [day, state, total, failed]),
    ).toEqual([
      ['2030-05-13', 'operational', 1, 0],
      ['2030-05-12', 'degraded', 2, 1],
      ['2030-05-11', 'down', 2, 2],
      ['2030-05-10', 'down', 1, 1],
    ]);
    // Cut at midnight: 1 h of the first day, 12 h + 1 h of the second, 12 h of the third.
    expect(days.map((day) => day.downtime_seconds / 3600)).toEqual([0, 12, 13, 1]);
    const [incidentId] = days.at(-1)?.incident_ids ?? [];
    expect(days.map((day) => day.incident_ids)).toEqual([[], [incidentId], [incidentId], [incidentId]]);
    await checks.delete(checkId);
  });

  it('is paused without a run while the check is, and unknown while nobody ran it', async () => {
    const { checks, checkId, at, runAt } = await keepDiary(MIDNIGHT, 200, { interval_seconds: 86_400 });
    await at(MIDNIGHT + HOUR_MS);
    await checks.update(checkId, { enabled: false });
    await at(MIDNIGHT + 2 * DAY_MS + HOUR_MS);
    const states = async () => (await checks.days(checkId)).map(({ state }) => state);
    expect(await states()).toEqual(['paused', 'paused', 'operational']);
    await checks.update(checkId, { enabled: true });
    await runAt(MIDNIGHT + 3 * DAY_MS, 200);
    expect(await states()).toEqual(['operational', 'paused', 'paused', 'operational']);
    // The scheduler stands still for two days: nobody knows, and the status keeps its last value.
    await culprit.stopWorker();
    await at(MIDNIGHT + 5 * DAY_MS + HOUR_MS);
    expect(await states()).toEqual(['unknown', 'unknown', 'operational', 'paused', 'paused', 'operational']);
    expect(await checks.read(checkId)).toMatchObject({ status: 'passing' });
    await culprit.startWorker();
    await checks.delete(checkId);
  });

  //
  it('is paused when the plan does not allow the check, which then does not run', async () => {
    const { checks, checkId, project, at } = await keepDiary(MIDNIGHT, 200, { interval_seconds: 60 });
    await setPlanOf(culprit.database, project.userId, 'free');
    await at(MIDNIGHT + DAY_MS);
    await eventually(async () => {
      expect(
        await countRows(
          culprit,
          `availability_checks where check_id = $1 and next_check_at > culprit_now()`,
          [checkId],
        ),
      ).toBe(1);
    });
    expect(await checks.read(checkId)).toMatchObject({
      status: 'paused',
      paused_reason: 'plan_interval_limit',
      consecutive_successes: 0,
    });
    expect((await checks.days(checkId)).map(({ state }) => state)).toEqual(['paused', 'operational']);
    await setPlanOf(culprit.database, project.userId, 'solo');
    expect(await checks.read(checkId)).toMatchObject({ status: 'unknown', paused_reason: null });
    expect(await checks.results(checkId)).toHaveLength(1);
    await at(MIDNIGHT + DAY_MS + 60_000);
    await checks.ran(checkId, 2);
    await checks.delete(checkId);
  });
});

describe('the retention of runs and days', () => {
  //
  it('is 30 days', async () => {
    const { checks, checkId, project, at } = await keepDiary(MIDNIGHT, 200, { enabled: true });
    await checks.update(checkId, { enabled: false });
    const id = parseId(['proj'], project.projectId);
    const now = MIDNIGHT + 60 * DAY_MS;
    await at(now);
    for (const ago of [29, 31]) {
      await culprit.database.query(
        {
          name: 'test-plant-run',
          text: `with planted as (
              insert into availability_results (result_id, check_id, project_id, slot_at, started_at, completed_at,
                duration_ms, status, checked_host, final_url, redirect_count)
              select gen_random_uuid(), $1, $2, $3::timestamptz, $3, $3, 1, 'success', 'x', 'http://x/', 0
            )
            insert into availability_days (check_id, project_id, day, successful_checks)
            values ($1, $2, ($3 at time zone 'UTC')::date, 1)`,
        },
        [checkId, id, new Date(now - ago * DAY_MS)],
      );
    }
    await deleteExpiredRows(culprit.database, AVAILABILITY_TABLES);
    expect(await checks.results(checkId)).toMatchObject([
      { started_at: new Date(now - 29 * DAY_MS).toISOString() },
    ]);
    const days = await checks.days(checkId);
    expect(days.filter((day) => day.total_checks > 0)).toMatchObject([
      { day: new Date(now - 29 * DAY_MS).toISOString().slice(0, 10) },
    ]);
    expect(await countRows(culprit, 'availability_days where check_id = $1', [checkId])).toBe(1);

    const owner = managementClient(culprit, project.memberToken);
    const path = `/v1/projects/${project.projectId}/availability-checks/${checkId}`;
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await owner.get(`${path}/daily-rollups?limit=10${query}`);
      const page = JSON.parse(JSON.stringify(body));
      seen.push(...page.daily_rollups.map((day: { day: string }) => day.day));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(days.map(({ day }) => day));
    for (const query of ['limit=0', 'cursor=2030-5-1', 'cursor=x']) {
      expectProblem(await owner.get(`${path}/daily-rollups?${query}`), 400, 'invalid_query');
    }
    for (const query of ['limit=101', 'cursor=x', 'from=2030']) {
      expectProblem(await owner.get(`${path}/results?${query}`), 400, 'invalid_query');
    }
    await checks.delete(checkId);
  });
});

describe('the checks of a project', () => {
  it('have their days told together, and the share of runs that succeeded', async () => {
    const { project, checks, checkId, runAt } = await keepDiary(MIDNIGHT, 200, { failure_threshold: 5 });
    await runAt(MIDNIGHT + HOUR_MS, 200);
    await runAt(MIDNIGHT + DAY_MS, 200);
    await runAt(MIDNIGHT + DAY_MS + HOUR_MS, 500);
    const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
    const answer = await api.call(listCheckDays, { params: { id: project.projectId } });
    if (!answer.ok) throw new Error(answer.error);
    const rollups = await checks.days(checkId);
    expect(answer.body.checks).toEqual([
      {
        check_id: checkId,
        days: rollups.map(({ day, state, downtime_seconds, incident_ids }) => ({
          day,
          state,
          downtime_seconds,
          incident_ids,
        })),
        uptime: 0.75,
      },
    ]);
    expect(rollups.map(({ state }) => state)).toEqual(['degraded', 'operational']);
    await checks.delete(checkId);
    const none = await api.call(listCheckDays, { params: { id: project.projectId } });
    expect(none).toMatchObject({ ok: true, body: { checks: [] } });
  });

  it('tell how long runs took in buckets that fit the time, failures apart', async () => {
    const { project, checks, checkId, runAt } = await keepDiary(MIDNIGHT, 200, { failure_threshold: 5 });
    await runAt(MIDNIGHT + HOUR_MS, 200);
    await runAt(MIDNIGHT + 2 * HOUR_MS, 500);
    const durations = (await checks.results(checkId))
      .filter(({ status }) => status === 'success')
      .map(({ duration_ms: ms }) => ms);
    const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
    const params = { id: project.projectId, checkId };
    const call = (from: number, to: number) =>
      api.call(getCheckLatency, {
        params,
        query: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      });
    const day = await call(MIDNIGHT, MIDNIGHT + DAY_MS);
    if (!day.ok) throw new Error(day.error);
    expect(day.body.bucket_seconds).toBe(300);
    expect(day.body.series.map(({ runs, failed }) => [runs, failed])).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
    ]);
    expect(day.body.series.map(({ p50_ms: ms }) => ms).sort()).toEqual([...durations, null].sort());
    const month = await call(MIDNIGHT - 30 * DAY_MS, MIDNIGHT + DAY_MS);
    if (!month.ok) throw new Error(month.error);
    expect(month.body).toMatchObject({ bucket_seconds: 10_800, series: [{ runs: 3, failed: 1 }] });
    expect(await api.call(getCheckLatency, { params })).toMatchObject({ ok: true });
    for (const [from, to] of [
      [MIDNIGHT, MIDNIGHT],
      [MIDNIGHT - 31 * DAY_MS, MIDNIGHT + 1],
    ] as const) {
      expect(await call(from, to)).toMatchObject({ status: 400, error: 'invalid_query' });
    }
    await checks.delete(checkId);
  });
});
