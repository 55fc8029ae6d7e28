import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { startJobLoop } from '../../src/platform/jobs/job-loop.ts';
import {
  claimJobs,
  extendLeases,
  finishJobs,
  type Job,
  LeaseLostError,
  releaseJobs,
  retryDelayMs,
} from '../../src/platform/jobs/job-queue.ts';
import { createLogger } from '../../src/platform/log.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { createTestDatabase } from '../support/test-database.ts';

// Runs on the oldest PostgreSQL too.

/** docs/contract/reliability.md A3, on the queue alone. */

const LANE = { name: 'test', kinds: ['work'] };
const FIRST = '00000000-0000-0000-0000-000000000000';
const LEASE_MS = 30_000;

let database: Database;

beforeAll(async () => {
  const url = await createTestDatabase();
  database = openDatabase({ url, connectionsMax: 4, applicationName: 'culprit-test' });
});
afterAll(() => database.close());
beforeEach(async () => {
  await moveClock(database, 0);
  await database.script('truncate jobs');
});

describe('a claim', () => {
  it('takes due jobs of one project only, the oldest first and no more than asked for', async () => {
    const [one, two] = [newUuid(), newUuid()];
    await queue(one, { count: 3 });
    await queue(two, { count: 2 });
    const { jobs, continueAfter } = await claimJobs(database, LANE, FIRST, 2);
    expect(jobs).toHaveLength(2);
    expect(new Set(jobs.map((job) => job.fairnessKey))).toEqual(new Set([one]));
    expect(continueAfter).toBe(one);
    const last = await claimJobs(database, LANE, one, 5);
    expect(last.jobs.map((job) => job.fairnessKey)).toEqual([two, two]);
    expect(last.continueAfter).toBeNull();
    // Behind the last project there is nothing; the rest of the first one is found from the start.
    expect(await claimJobs(database, LANE, two, 5)).toEqual({ jobs: [], continueAfter: null });
    expect(await claimJobs(database, LANE, FIRST, 5, [one])).toEqual({ jobs: [], continueAfter: null });
    expect((await claimJobs(database, LANE, FIRST, 5)).jobs).toHaveLength(1);
  });

  it('leaves jobs that are not due, held, of another lane or of an unknown kind', async () => {
    await queue(newUuid(), { wait: '1 hour' });
    await queue(newUuid(), { lane: 'other' });
    await queue(newUuid(), { kind: 'of a later release' });
    await queue(newUuid());
    expect((await claimJobs(database, LANE, FIRST, 5)).jobs).toHaveLength(1);
    expect((await claimJobs(database, LANE, FIRST, 5)).jobs).toEqual([]);
  });

  it('counts a lease that ran out as a failure and takes such a job alone', async () => {
    const projectId = newUuid();
    await queue(projectId, { count: 2 });
    const { jobs: lost } = await claimJobs(database, LANE, FIRST, 5);
    await moveClock(database, LEASE_MS + 1000);
    await queue(projectId);
    const { jobs } = await claimJobs(database, LANE, FIRST, 5);
    expect(jobs).toMatchObject([{ failures: 1, attempt: 2 }]);
    await expect(database.transaction((transaction) => finishJobs(transaction, lost))).rejects.toThrow(
      LeaseLostError,
    );
  });

  it('finds a due job behind more projects than one look takes in', async () => {
    // Ids in order, so that the due one comes last.
    await database.script(`
      insert into jobs (lane, kind, fairness_key, run_at)
      select 'test', 'work', ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
        culprit_now() + case when n = 2600 then interval '0' else interval '1 hour' end
      from generate_series(1, 2600) as n`);
    const done: Job[] = [];
    const loop = startJobLoop({
      database,
      log: createLogger({ level: 'silent', role: 'test' }),
      pollIntervalMs: 60_000,
      lanes: [
        {
          ...LANE,
          claimMax: 5,
          retryDelaysMs: [1000],
          async run(jobs) {
            await database.transaction((transaction) => finishJobs(transaction, jobs));
            done.push(...jobs);
          },
        },
      ],
    });
    await eventually(() => expect(done).toHaveLength(1), 10_000);
    await loop.stop();
  });
});

describe('a fairness key that is last in line', () => {
  const HOUR_MS = 3_600_000;
  it.each([
    ['has its jobs done after those of all others', HOUR_MS, '22221'],
    ['has its turn again when its time is over', 0, '12222'],
  ])('%s', async (_title, forMs, order) => {
    const [one, two] = [newUuid(), newUuid()].toSorted();
    await queue(one ?? '');
    await queue(two ?? '', { count: 4 });
    const done: string[] = [];
    const loop = startJobLoop({
      database,
      log: createLogger({ level: 'silent', role: 'test' }),
      pollIntervalMs: 60_000,
      lastInLine: [{ fairnessKey: one ?? '', forMs }],
      lanes: [
        {
          ...LANE,
          claimMax: 1,
          retryDelaysMs: [1000],
          async run(jobs) {
            await database.transaction((transaction) => finishJobs(transaction, jobs));
            done.push(...jobs.map(({ fairnessKey }) => (fairnessKey === one ? '1' : '2')));
          },
        },
      ],
    });
    await eventually(() => expect(done.join('')).toBe(order), 10_000);
    await loop.stop();
  });
});

describe('a loop of several lanes', () => {
  it('looks in the lanes that a wake-up names, and in all of them when it names none', async () => {
    const looks = { one: 0, two: 0 };
    let done = 0;
    const lane = (name: 'one' | 'two') => ({
      name,
      kinds: ['work'],
      // Read at each look.
      get claimMax() {
        looks[name] += 1;
        return 1;
      },
      retryDelaysMs: [1000],
      async run(jobs: Job[]) {
        await database.transaction((transaction) => finishJobs(transaction, jobs));
        done += jobs.length;
      },
    });
    const loop = startJobLoop({
      database,
      log: createLogger({ level: 'silent', role: 'test' }),
      pollIntervalMs: 60_000,
      lanes: [lane('one'), lane('two')],
    });
    await eventually(() => expect(looks).toEqual({ one: 1, two: 1 }));
    const projectId = newUuid();
    for (let jobs = 1; jobs <= 3; jobs += 1) {
      await queue(projectId, { lane: 'one' });
      loop.wake(['one']);
      // And once more after the job, which finds nothing.
      await eventually(() => expect({ done, looks: looks.one }).toEqual({ done: jobs, looks: 1 + 2 * jobs }));
    }
    expect(looks.two).toBe(1);
    await queue(projectId, { lane: 'two' });
    loop.wake();
    await eventually(() => expect(done).toBe(4));
    await loop.stop();
  });
});

describe('a heartbeat', () => {
  it('keeps a lease for as long as it comes', async () => {
    await queue(newUuid());
    const { jobs } = await claimJobs(database, LANE, FIRST, 1);
    await moveClock(database, LEASE_MS - 1000);
    await extendLeases(database, jobs);
    await moveClock(database, LEASE_MS + 1000);
    expect((await claimJobs(database, LANE, FIRST, 1)).jobs).toEqual([]);
    await moveClock(database, 2 * LEASE_MS);
    expect((await claimJobs(database, LANE, FIRST, 1)).jobs).toHaveLength(1);
  });

  it('that comes late does not take back a job that was given back', async () => {
    await queue(newUuid());
    const { jobs } = await claimJobs(database, LANE, FIRST, 1);
    await releaseJobs(database, jobs, { isCounted: false, waitMs: () => 0, error: 'the store was away' });
    await extendLeases(database, jobs);
    expect((await claimJobs(database, LANE, FIRST, 1)).jobs).toMatchObject([{ failures: 0 }]);
  });

  it('that comes late does not hold a job that was triggered again while it ran', async () => {
    await queue(newUuid(), { key: 'k' });
    const { jobs } = await claimJobs(database, LANE, FIRST, 1);
    await database.script(`update jobs set revision = 1, payload = '{"again": 1}'`);
    await database.transaction((transaction) => finishJobs(transaction, jobs));
    await extendLeases(database, jobs);
    expect((await claimJobs(database, LANE, FIRST, 1)).jobs).toMatchObject([
      { failures: 0, payload: { again: 1 } },
    ]);
  });
});

describe('a release', () => {
  it('lets a failed job wait for the next delay, the last one repeating', async () => {
    expect([1, 2, 3, 9].map((failures) => retryDelayMs([1000, 5000], failures))).toEqual([
      1000, 5000, 5000, 5000,
    ]);
    await queue(newUuid());
    const { jobs } = await claimJobs(database, LANE, FIRST, 1);
    const outcome = { isCounted: true, waitMs: () => 5000, error: 'broken' };
    await releaseJobs(database, jobs, outcome);
    // As after an unknown outcome: the second call finds nothing to do.
    await releaseJobs(database, jobs, outcome);
    expect((await claimJobs(database, LANE, FIRST, 1)).jobs).toEqual([]);
    await moveClock(database, 6000);
    expect((await claimJobs(database, LANE, FIRST, 1)).jobs).toMatchObject([{ failures: 1, attempt: 2 }]);
  });
});

async function queue(
  projectId: string,
  options: { count?: number; lane?: string; kind?: string; wait?: string; key?: string } = {},
): Promise<void> {
  await database.query(
    {
      name: 'test-queue',
      text: `insert into jobs (lane, kind, fairness_key, key, run_at)
        select $1, $2, $3, $4, culprit_now() + $5::interval from generate_series(1, $6::integer)`,
    },
    [
      options.lane ?? LANE.name,
      options.kind ?? 'work',
      projectId,
      options.key ?? null,
      options.wait ?? '0',
      options.count ?? 1,
    ],
  );
}
