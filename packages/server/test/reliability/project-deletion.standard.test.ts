// Proves 31.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimJobs, type Job } from '../../src/platform/jobs/job-queue.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { TABLES } from '../../src/roles/tables.ts';
import { purgeStepsOf } from '../../src/upkeep/purge/purge.queries.ts';
import { type CleanupOptions, purgeProject } from '../../src/upkeep/purge/purge-project.ts';
import {
  CLEANUP_LANE,
  PURGE_PROJECT,
  PURGE_WAIT_SECONDS,
} from '../../src/workspace/projects/projects.jobs.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { startWorkerProcess } from '../support/role-process.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { planFault, planNoFault, type StepGuard } from './fault-plan.ts';
import { faultyDatabase } from './faulty-database.ts';
import { faultyObjects } from './faulty-objects.ts';
import { createFullProject } from './full-project.ts';
import { fingerprintProject, identifyProject, type ProjectIdentity, readTraces } from './project-traces.ts';

/**
 * docs/contract/reliability.md test 31, the part about deleted projects: exact, whatever is killed, and nobody else's.
 */

const SEED = chooseSeed();
const KILLS = runSize('CULPRIT_TEST_KILLS', { standard: 2, long: 12 });
const EMAIL = 'deleter@example.test';
const PURGED = TABLES.filter((table) => purgeStepsOf(table).length > 0).map(({ name }) => name);
const NOTHING_LEFT = { rows: { audit_log: expect.any(Number) }, objects: [] };

describe(`the storage of a deleted project (seed ${SEED})`, { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let neighbour: ProjectIdentity;
  let untouched: Awaited<ReturnType<typeof fingerprintProject>>;
  let clockMs = 0;
  beforeAll(async () => {
    // So that nobody looks for due work only every few seconds.
    culprit = await startCulprit({ retryScale: 0.02 });
    const project = await createFullProject(culprit, { email: EMAIL, name: 'neighbour' });
    neighbour = await identifyProject(culprit, project.projectId);
    // Nothing else is to change it while the clock moves.
    await culprit.database.script(`update projects set retention_due_at = 'infinity'`);
  }, 120_000);
  afterAll(() => culprit.stop());

  async function advance(byMs: number): Promise<void> {
    clockMs += byMs;
    await moveClock(culprit.database, clockMs);
  }

  /** A full project that was just deleted, with nobody at work. */
  async function deleteFullProject(name: string): Promise<{ project: TestProject; doomed: ProjectIdentity }> {
    await culprit.stopWorker();
    await culprit.startWorker();
    const project = await createFullProject(culprit, { email: EMAIL, name });
    await culprit.stopWorker();
    const doomed = await identifyProject(culprit, project.projectId);
    // A worker counts these within a second.
    await culprit.database.query(
      {
        name: 'test-rule-hits',
        text: `insert into capture_rule_hits (rule_id, hits, matched_at)
          select rule_id, 1, culprit_now() from capture_rules where project_id = $1`,
      },
      [doomed.projectId],
    );
    untouched = await fingerprintProject(culprit, neighbour);
    const { rows } = await readTraces(culprit, doomed);
    // Only a project that has something everywhere tells whether everything goes.
    const empty = PURGED.filter((table) => !(table in rows));
    expect(empty).toEqual([]);
    expect(
      (await managementClient(culprit, project.memberToken).delete(`/v1/projects/${project.projectId}`))
        .status,
    ).toBe(200);
    return { project, doomed };
  }

  it('is left alone at first, handed back by a process that stops, then gone, and nothing else with it', async () => {
    const { doomed } = await deleteFullProject('plain');
    const atFirst = await readTraces(culprit, doomed);
    expect(await claimCleanup()).toBeUndefined();
    await advance((PURGE_WAIT_SECONDS + 1) * 1000);
    const job = await claimCleanup();
    if (job === undefined) throw new Error('the job was not claimed');
    await purgeProject(job, await purgeOptions(planNoFault(), AbortSignal.abort()));
    const handedBack = 'jobs where lane = $1 and leased_until is null and failures = 0';
    expect(await countRows(culprit, handedBack, [CLEANUP_LANE])).toBe(1);
    expect(await readTraces(culprit, doomed)).toMatchObject({ rows: atFirst.rows });
    await culprit.startWorker();
    await eventually(async () => expect(await readTraces(culprit, doomed)).toEqual(NOTHING_LEFT));
    expect(await fingerprintProject(culprit, neighbour)).toEqual(untouched);
    expect(await countRows(culprit, 'jobs where lane = $1', [CLEANUP_LANE])).toBe(0);
  });

  it('is emptied by an attempt that follows one which died at any step', async () => {
    const { doomed } = await deleteFullProject('steps');
    await advance((PURGE_WAIT_SECONDS + 1) * 1000);
    const random = seededRandom(SEED);
    let died = 0;
    // Each life gets a step further than the one before, in what the others left.
    for (let step = 1; ; step += 1) {
      if (await attempt(step, random.pick(['dies', 'dies-late']))) break;
      died += 1;
    }
    expect(died).toBeGreaterThan(20);
    expect(await readTraces(culprit, doomed)).toEqual(NOTHING_LEFT);
    expect(await fingerprintProject(culprit, neighbour)).toEqual(untouched);
  });

  /** One life of a worker that dies at a step, counted over all of them; true when it came to its end. */
  async function attempt(stepOfDeath: number, mode: 'dies' | 'dies-late'): Promise<boolean> {
    await advance(60_000);
    const job = await claimCleanup();
    // The last life died behind its commit.
    if (job === undefined) return true;
    let steps = 0;
    const plan = planFault({ name: 'the step', occurrence: 1 }, mode);
    plan.arm();
    const guard: StepGuard = {
      arrive(name) {
        steps += 1;
        return plan.arrive(steps === stepOfDeath ? 'the step' : name);
      },
      assertAlive: plan.assertAlive,
    };
    try {
      await purgeProject(job, await purgeOptions(guard, new AbortController().signal));
      return true;
    } catch (error) {
      if (!plan.isDead()) throw error;
      return false;
    }
  }

  async function claimCleanup(): Promise<Job | undefined> {
    const lane = { name: CLEANUP_LANE, kinds: [PURGE_PROJECT] };
    const { jobs } = await claimJobs(culprit.database, lane, '00000000-0000-0000-0000-000000000000', 1);
    return jobs[0];
  }

  async function purgeOptions(guard: StepGuard, stopping: AbortSignal): Promise<CleanupOptions> {
    const objects = await createFileObjectStore({ directory: culprit.objectDirectory, writeTimeoutMs: 3000 });
    return {
      database: faultyDatabase(culprit.database, guard),
      objects: faultyObjects(objects, guard),
      tables: TABLES,
      log: createLogger({ level: 'fatal', role: 'test' }),
      stopping,
    };
  }

  it(`is gone after ${KILLS} kills of the worker in the middle of the work`, async () => {
    const { doomed } = await deleteFullProject('killed');
    await slowDownDeletes(culprit);
    await advance((PURGE_WAIT_SECONDS + 1) * 1000);
    const random = seededRandom(SEED + 1);
    const left: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const worker = await startWorkerProcess(culprit, {
        plans: SELF_HOSTED,
        duties: [],
        hasBackground: true,
      });
      try {
        await eventually(async () => {
          if ((await countRows(culprit, 'jobs where leased_until > culprit_now()')) === 0) {
            throw new Error('nobody is at work');
          }
        });
        await delay(random.integer(0, 400));
      } finally {
        await worker.kill();
      }
      left.push(await countRows(culprit, 'projects where project_id = $1', [doomed.projectId]));
      await advance(60_000);
    }
    // Every kill met work that was not finished.
    expect(left).toEqual(Array.from({ length: KILLS }, () => 1));
    expect(await fingerprintProject(culprit, neighbour)).toEqual(untouched);
    await culprit.startWorker();
    await eventually(async () => expect(await readTraces(culprit, doomed)).toEqual(NOTHING_LEFT));
    expect(await fingerprintProject(culprit, neighbour)).toEqual(untouched);
  });
});

/** So that a kill meets the middle of the work, on whatever machine. */
async function slowDownDeletes(culprit: TestCulprit): Promise<void> {
  const triggers = PURGED.map(
    (table) =>
      `create trigger slow_delete before delete on ${table} for each statement execute function slow_delete();`,
  );
  await culprit.database.script(`
    create function slow_delete() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.05); return null; end $$;
    ${triggers.join('\n')}`);
}
