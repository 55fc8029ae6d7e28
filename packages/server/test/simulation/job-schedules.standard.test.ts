// Proves 6.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase, type Queryable } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import type { Job } from '../../src/platform/jobs/job-queue.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { createTestDatabase } from '../support/test-database.ts';
import {
  advanceClock,
  countJobs,
  emptyQueue,
  prepareSimulation,
  queuePlainJob,
  queueTrigger,
  readEffects,
} from './simulated-queue.ts';
import { type Finish, SimulatedWorker } from './simulated-worker.ts';

/**
 * docs/contract/reliability.md test 6: workers take the real steps of the queue in random order, on a clock that jumps,
 * and die at any of them. Whatever happens, a plain job has its effect once, and every trigger is seen by an effect
 * that began behind it.
 */

const SCHEDULES = runSize('CULPRIT_TEST_SCHEDULES', { standard: 500, long: 10_000 });
const SEED = chooseSeed();
const STEPS = 24;
const WORKERS = 3;
/** Below and beyond a lease of 30 s. */
const JUMPS_MS = [0, 0, 500, 2000, 20_000, 31_000];
const ROUNDS_TO_EMPTY_MAX = 100;

let database: Database;

beforeAll(async () => {
  database = openDatabase({
    url: await createTestDatabase(),
    connectionsMax: 2,
    applicationName: 'culprit-test',
  });
  await prepareSimulation(database);
});
afterAll(() => database.close());

describe(`${SCHEDULES} random schedules of workers that die (seed ${SEED})`, () => {
  it('give each job its effect once and miss no trigger', { timeout: 60_000 + SCHEDULES * 100 }, async () => {
    const broken: string[] = [];
    for (let schedule = 0; schedule < SCHEDULES; schedule += 1) {
      const faults = await runSchedule(SEED + schedule);
      if (faults.length > 0) broken.push(`seed ${SEED + schedule}: ${faults.join(', ')}`);
    }
    recordFigure(6, `${SCHEDULES} schedules of ${STEPS} steps, ${broken.length} broken`);
    expect(broken).toEqual([]);
  });

  it('would show a worker that finishes what it does not hold any more', { timeout: 60_000 }, async () => {
    let faults: string[] = [];
    for (let schedule = 0; schedule < 300 && faults.length === 0; schedule += 1) {
      faults = await runSchedule(SEED + schedule, finishAnyway);
    }
    expect(faults).not.toEqual([]);
  });
});

/** The planted defect: the row goes, whoever holds it. */
async function finishAnyway(transaction: Queryable, jobs: readonly Job[]): Promise<void> {
  await transaction.query(
    { name: 'simulation-finish-anyway', text: 'delete from jobs where job_id = any ($1::bigint[])' },
    [jobs.map((job) => job.jobId)],
  );
}

/** What was broken in one schedule; nothing when all is well. */
async function runSchedule(seed: number, finish?: Finish): Promise<string[]> {
  const random = seededRandom(seed);
  await emptyQueue(database);
  const projects = [newUuid(), newUuid()];
  const workers = Array.from({ length: WORKERS }, () => new SimulatedWorker(database, finish));
  const plain: number[] = [];
  const triggers: string[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const choice = random.integer(0, 9);
    if (choice === 0) plain.push(await queuePlainJob(database, random.pick(projects)));
    else if (choice === 1) {
      const trigger = `t${step}`;
      await queueTrigger(database, projects[0] ?? '', 'subject', trigger);
      triggers.push(trigger);
    } else if (choice === 2) await advanceClock(database, random.pick(JUMPS_MS));
    else await random.pick(workers).step(random);
  }
  const rounds = await emptyByOneWorker();
  const effects = await readEffects(database);
  const seen = new Set(effects.flatMap((effect) => effect.triggers));
  return [
    ...(rounds === null ? ['jobs are left'] : []),
    ...plain
      .map((jobId) => ({ jobId, count: effects.filter((effect) => effect.jobId === jobId).length }))
      .filter(({ count }) => count !== 1)
      .map(({ jobId, count }) => `job ${jobId} had its effect ${count} times`),
    ...triggers.filter((trigger) => !seen.has(trigger)).map((trigger) => `trigger ${trigger} was not seen`),
  ];
}

/** A last worker that does not die; null when it comes to no end. */
async function emptyByOneWorker(): Promise<number | null> {
  const worker = new SimulatedWorker(database);
  for (let round = 0; round < ROUNDS_TO_EMPTY_MAX; round += 1) {
    if ((await countJobs(database)) === 0) return round;
    await worker.claim(3);
    if (worker.isIdle) await advanceClock(database, 31_000);
    else await worker.finish();
  }
  return null;
}
