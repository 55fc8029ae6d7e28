// Proves 19.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimRuns } from '../../src/monitor/availability/claims.queries.ts';
import { recordRun } from '../../src/monitor/availability/record-run.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { checkClient, LOCAL_SITES, type Site, startSite } from '../support/check-client.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/incident-client.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';

/**
 * docs/contract/reliability.md test 19: slots of availability checks with two worker processes, kills and a clock that
 * is moved. Each slot has one result at most, each failure one event, and what a worker that came too late brings is
 * ignored.
 */

const SEED = chooseSeed();
const CHECKS = 40;
const INTERVAL_MS = 30_000;
const KILLS = 2;
const LEASE_MS = 15_000;

let culprit: TestCulprit;
let site: Site;
beforeAll(async () => {
  site = await startSite();
  culprit = await startCulprit({ hasWorker: false, duties: ['events'], outbound: LOCAL_SITES });
});
afterAll(async () => {
  await culprit.stop();
  await site.close();
});

function startRunner(): Promise<RoleProcess> {
  return startWorkerProcess(culprit, { plans: SELF_HOSTED, duties: [], hasBackground: true });
}

describe(`the slots of checks (seed ${SEED})`, () => {
  it('are run once each by two processes, however often they die over them', {
    timeout: 180_000,
  }, async () => {
    const random = seededRandom(SEED);
    const client = await connect(culprit);
    const checks = checkClient(culprit, client.project);
    site.answer(
      (_request, response) => void setTimeout(() => response.writeHead(500).end(), random.integer(1, 60)),
    );
    // It stands, so that nothing is due but what the test lets come.
    const startMs = Date.now();
    const standAt = (aheadMs: number) => holdClock(culprit.database, startMs + aheadMs);
    await standAt(0);
    const made: string[] = [];
    for (let n = 0; n < CHECKS; n += 1) {
      const body = { url: site.url, name: `check ${n}`, failure_threshold: 1, timeout_ms: 5000 };
      made.push((await checks.create(body)).check_id);
    }
    const allRan = (slots: number) =>
      eventually(async () => {
        const ran = await countRows(culprit, 'availability_results');
        if (ran < slots * CHECKS) throw new Error(`${ran} runs, not ${slots * CHECKS}`);
      }, 60_000);
    // Both are there before the first check is due.
    await standAt(-1000);
    let runners = await Promise.all([startRunner(), startRunner()]);
    for (let slot = 0; slot < KILLS; slot += 1) {
      const before = site.requests.length;
      await standAt(slot * INTERVAL_MS);
      await eventually(() => {
        if (site.requests.length - before < CHECKS / 4) throw new Error('too early for a kill');
      });
      await Promise.all(runners.map((runner) => runner.kill()));
      // Others take over what the dead had claimed, as soon as their claims have run out.
      await standAt(slot * INTERVAL_MS + LEASE_MS);
      runners = await Promise.all([startRunner(), startRunner()]);
      await allRan(slot + 1);
    }
    await standAt(KILLS * INTERVAL_MS);
    await allRan(KILLS + 1);
    await Promise.all(runners.map((runner) => runner.kill()));

    const slots = KILLS + 1;
    const claims = await readNumber(culprit, 'sum(claim_number)', 'availability_checks');
    expect(claims).toBeGreaterThan(CHECKS * slots);
    expect(await countRows(culprit, 'availability_results')).toBe(CHECKS * slots);
    expect(
      await countRows(
        culprit,
        `availability_results r join availability_checks c using (check_id)
          where mod(extract(epoch from r.slot_at - c.created_at), 30) <> 0`,
      ),
    ).toBe(0);
    for (const checkId of made) await checks.delete(checkId);
    // The failures were stored with the results, so they count as often.
    await culprit.startWorker();
    await client.processed();
    await culprit.stopWorker();
    const incidents = await client.list();
    expect(incidents).toHaveLength(CHECKS);
    expect(new Set(incidents.map(({ occurrence_count: count }) => count))).toEqual(new Set([slots]));
    await moveClock(culprit.database, 0);
  });

  it('count nothing of a claim that was taken over, of one that was dropped, and of one that comes twice', async () => {
    const { database } = culprit;
    const objects = await openObjectStore(culprit.objectStore);
    const client = await connect(culprit);
    const checks = checkClient(culprit, client.project);
    const { check_id: checkId } = await checks.create({ url: site.url, failure_threshold: 1 });
    const outcome = {
      status: 'timeout',
      httpStatus: null,
      errorKind: 'timeout',
      durationMs: 5,
      finalUrl: site.url,
      redirectCount: 0,
    } as const;
    const claim = async () => (await claimRuns(database, SELF_HOSTED, 10)).runs.at(0);
    const record = (run: NonNullable<Awaited<ReturnType<typeof claim>>>) =>
      recordRun({ database, objects }, run, outcome);

    const late = await claim();
    expect(await claim()).toBeUndefined();
    await moveClock(database, LEASE_MS);
    const taken = await claim();
    if (late === undefined || taken === undefined) throw new Error('nothing was claimed');
    expect(taken.slotAtMs).toBe(late.slotAtMs);
    expect(await record(late)).toBeNull();
    expect(await checks.results(checkId)).toEqual([]);
    expect(await record(taken)).toBeGreaterThan(0);
    expect(await record(taken)).toBeNull();
    expect(await checks.results(checkId)).toHaveLength(1);
    expect(await countRows(culprit, 'batches where processed_at is null')).toBe(1);

    await moveClock(database, INTERVAL_MS);
    const dropped = await claim();
    await checks.update(checkId, { method: 'HEAD' });
    if (dropped === undefined) throw new Error('nothing was claimed');
    expect(await record(dropped)).toBeNull();
    expect(await checks.read(checkId)).toMatchObject({ status: 'unknown', consecutive_failures: 0 });
    // Nobody asks while the run that lost its claim may still be under way.
    expect(await claim()).toBeUndefined();
    await checks.delete(checkId);
    await moveClock(database, 0);
  });
});
