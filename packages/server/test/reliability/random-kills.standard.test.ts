// Proves 1.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { eventually } from '../support/eventually.ts';
import { IS_LONG_LANE, runSize } from '../support/run-size.ts';
import { chooseSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { ALL_STORED, createCheckInLedger, readStoredCheckIns } from './check-in-ledger.ts';
import { startCheckInLoad } from './check-in-load.ts';
import {
  countRegressions,
  createEventLedger,
  findMiscountedReleases,
  KEPT,
  readCountedEvents,
} from './event-ledger.ts';
import { startEventLoad } from './event-load.ts';
import { findLeftOverWork } from './left-over-work.ts';
import { createRealService, type RealService, type ServicePart } from './real-service.ts';
import { startResolveLoad } from './resolve-load.ts';
import { settleWork } from './settle-work.ts';

/**
 * docs/contract/reliability.md test 1: the program as an operator runs it, under load, while its parts are killed in
 * random order.
 */

const KILLS = runSize('CULPRIT_TEST_KILLS', { standard: 10, long: 200 });
const CHECK_INS = IS_LONG_LANE ? 1000 : 30;
const CLIENTS = 4;
const PAUSE_MS = { min: 100, max: 1200 };
/** Of ten kills. */
const SHARES: readonly ServicePart[] = [
  ...(['api', 'api', 'api', 'worker', 'worker', 'worker'] as const),
  ...(['postgres', 'postgres', 'postgres', 'supervisor'] as const),
];
/**
 * How long processes may outlive their supervisor: they stop as always, within ten seconds
 * (docs/contract/reliability.md A7).
 */
const ORPHANS_GONE_MS = 15_000;
const SEED = chooseSeed();

describe(`under load, ${KILLS} random kills (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  let service: RealService;
  beforeAll(async () => {
    service = await createRealService();
    await service.start();
  });
  afterAll(() => service.remove());

  // F-52
  it('lose no event of any client and no check-in of a job, count none twice and leave nothing stuck', {
    timeout: 90_000 + KILLS * 5000,
  }, async () => {
    const { projectId, projectToken: token, memberToken, dsn } = await service.bootstrap('shop');
    const ledger = createEventLedger();
    const load = startEventLoad({
      url: service.url,
      token,
      dsn,
      clients: CLIENTS,
      random: seededRandom(SEED + 1),
      ledger,
    });
    const resolver = startResolveLoad({ url: service.url, memberToken, random: seededRandom(SEED + 3) });
    const jobs = await service.bootstrap('jobs');
    const checkIns = createCheckInLedger();
    const scheduler = await startCheckInLoad({
      target: { url: service.url, ...jobs },
      random: seededRandom(SEED + 2),
      ledger: checkIns,
    });
    const kills = { api: 0, worker: 0, postgres: 0, supervisor: 0 };
    for (const part of chooseParts(random)) {
      await delay(random.integer(PAUSE_MS.min, PAUSE_MS.max));
      if (part === 'supervisor') await killSupervisor(service, random);
      else await killPart(service, part);
      kills[part] += 1;
    }
    await resolver.finish();
    await Promise.all([load.finish(), scheduler.finish(CHECK_INS)]);

    const ids = [parseId(['proj'], projectId) ?? ''];
    const jobsId = parseId(['proj'], jobs.projectId) ?? '';
    const database = await settleWork(service, [...ids, jobsId]);
    try {
      expect({
        verdict: ledger.judge(await readCountedEvents(database, ids)),
        checkIns: checkIns.judge(await readStoredCheckIns(database, jobsId)),
        stuck: await findLeftOverWork(database, ids),
        stuckOfJobs: await findLeftOverWork(database, [jobsId]),
        surprises: [...load.surprises(), ...scheduler.surprises(), ...resolver.surprises()],
        miscounted: await findMiscountedReleases(database, ids),
      }).toEqual({
        verdict: KEPT,
        checkIns: ALL_STORED,
        stuck: {},
        // No client sent the failures of jobs, and they are not billed.
        stuckOfJobs: { projects_with_other_events_than_fates: 1, projects_billed_for_other_events: 1 },
        surprises: [],
        miscounted: [],
      });
      expect(Math.min(...Object.values(kills))).toBeGreaterThan(0);
      recordFigure(
        1,
        `${KILLS} kills, ${ledger.count('accepted')} events accepted, ${ledger.count('unknown')} without an answer, ${checkIns.count('accepted')} check-ins answered, lost 0, twice 0 (seed ${SEED})`,
      );
      // The load was one: some clients were left without an answer, most were not.
      expect(ledger.count('unknown')).toBeGreaterThan(0);
      expect(ledger.count('accepted')).toBeGreaterThan(10 * KILLS);
      expect(checkIns.count('unknown')).toBeGreaterThan(0);
      expect(await countRegressions(database, ids)).toBeGreaterThan(0);
    } finally {
      await database.close();
    }
    expect(await service.end('SIGTERM')).toBe(0);
    expect(service.postgresProcess()).toBeNull();
    expect(await service.roleProcesses()).toEqual([]);
  });
});

/** Each part in its share, in random order. */
function chooseParts(random: SeededRandom): ServicePart[] {
  const waiting = Array.from({ length: KILLS }, (_, kill) => SHARES[kill % SHARES.length] ?? 'api');
  const chosen: ServicePart[] = [];
  while (waiting.length > 0) chosen.push(...waiting.splice(random.integer(0, waiting.length - 1), 1));
  return chosen;
}

/** A part that died a moment ago may still be on its way back. */
async function killPart(service: RealService, part: ServicePart): Promise<void> {
  await eventually(() => {
    if (!service.kill(part)) throw new Error(`${part} does not come back:\n${service.lastLines()}`);
  });
}

/**
 * Sometimes again while it starts. What it leaves behind ends by itself, and does not keep the next start from
 * working.
 */
async function killSupervisor(service: RealService, random: SeededRandom): Promise<void> {
  await service.end('SIGKILL');
  const orphans = await service.roleProcesses();
  while (random.chance(0.5)) {
    service.begin();
    await delay(random.integer(0, 2000));
    await service.end('SIGKILL');
    orphans.push(...(await service.roleProcesses()));
  }
  const gone = eventually(async () => {
    const left = (await service.roleProcesses()).filter((pid) => orphans.includes(pid));
    if (left.length > 0) throw new Error(`${left.length} processes outlive their supervisor`);
  }, ORPHANS_GONE_MS);
  await Promise.all([gone, service.start()]);
}
