import type { Database, Transaction } from '../../src/platform/db/database.ts';
import type { Lane } from '../../src/platform/jobs/job-loop.ts';
import { claimJobs, type Job, LEASE_SECONDS, LeaseLostError } from '../../src/platform/jobs/job-queue.ts';
import { moveClock } from '../support/move-clock.ts';

/** Delivers jobs to three holders each: two stall until their lease has run out and the next one has the job too. */
interface StalledHolders {
  /** Until no job of the lane is left. Tells how many there were. */
  deliverAll(lane: string): Promise<number>;
}

/** What became of one delivery. */
type Outcome = 'done' | 'lost';

const FIRST_PROJECT = '00000000-0000-0000-0000-000000000000';
const EXPECTED: readonly Outcome[] = ['lost', 'lost', 'done'];

/** @param makeLanes makes the lanes of one holder on its database */
export function createStalledHolders(
  database: Database,
  makeLanes: (database: Database) => readonly Lane[],
): StalledHolders {
  let aheadMs = 0;

  async function claimOne(lane: string): Promise<Job | null> {
    const { kinds } = laneNamed(database, lane);
    const { jobs } = await claimJobs(database, { name: lane, kinds }, FIRST_PROJECT, 1);
    return jobs[0] ?? null;
  }

  /** The holder goes on working, and does not know. */
  async function passLease(): Promise<void> {
    aheadMs += (LEASE_SECONDS + 1) * 1000;
    await moveClock(database, aheadMs);
  }

  function laneNamed(holder: Database, name: string): Lane {
    const lane = makeLanes(holder).find((each) => each.name === name);
    if (lane === undefined) throw new Error(`there is no lane ${name}`);
    return lane;
  }

  function work(holder: Database, lane: string, job: Job): Promise<Outcome> {
    return laneNamed(holder, lane)
      .run([job])
      .then(
        () => 'done',
        (error: unknown) => {
          if (error instanceof LeaseLostError) return 'lost';
          throw error;
        },
      );
  }

  /** One job, three holders. */
  async function deliver(lane: string): Promise<boolean> {
    const first = await claimOne(lane);
    if (first === null) return false;
    // Has read and parsed everything, and has not begun its transaction.
    const before = stallAt(database, 'begin');
    const slowest = work(before.database, lane, first);
    await Promise.race([before.isStalled, slowest]);

    await passLease();
    const second = await claimOne(lane);
    // Has done everything in its transaction but to finish its jobs, and holds the locks.
    const inside = stallAt(database, 'jobs-finish');
    const slow = second === null ? null : work(inside.database, lane, second);
    await Promise.race([inside.isStalled, slow]);

    await passLease();
    const third = await claimOne(lane);
    const last = third === null ? null : work(database, lane, third);
    before.goOn();
    inside.goOn();
    const outcomes = await Promise.all([slowest, slow, last]);
    const isSame = [second, third].every((job) => job?.jobId === first.jobId);
    if (!isSame || outcomes.join() !== EXPECTED.join()) {
      throw new Error(`deliveries ${JSON.stringify([first, second, third])} ended ${outcomes.join()}`);
    }
    return true;
  }

  return {
    async deliverAll(lane) {
      let jobs = 0;
      do {
        await makeDue(database, lane);
      } while ((await deliver(lane)) && ++jobs > 0);
      return jobs;
    },
  };
}

/** Now, and in a fixed order, so that each claim finds the same one. */
async function makeDue(database: Database, lane: string): Promise<void> {
  await database.query(
    {
      name: 'test-make-due',
      text: `update jobs set run_at = timestamptz '2020-01-01' + job_id * interval '1 ms'
        where lane = $1 and leased_until is null`,
    },
    [lane],
  );
}

/** A database whose user stands still at a statement, or before its transaction, until told to go on. */
function stallAt(
  real: Database,
  place: string,
): { database: Database; isStalled: Promise<void>; goOn(): void } {
  const stalled = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();

  async function pass(name: string): Promise<void> {
    if (name !== place) return;
    stalled.resolve();
    await released.promise;
  }

  const database: Database = {
    ...real,
    async transaction(work) {
      await pass('begin');
      return await real.transaction((transaction) => {
        const slow: Transaction = {
          send: (statement, parameters) => transaction.send(statement, parameters),
          async query(statement, parameters) {
            await pass(statement.name);
            return await transaction.query(statement, parameters);
          },
        };
        return work(slow);
      });
    },
  };
  return { database, isStalled: stalled.promise, goOn: () => released.resolve() };
}
