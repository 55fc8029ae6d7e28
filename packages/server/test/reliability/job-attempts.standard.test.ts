import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveUpBatch } from '../../src/pipeline/incidents/processing/give-up-batch.ts';
import {
  EVENTS_LANE,
  PARK_AFTER_FAILURES,
  PROCESS_BATCH,
} from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { claimJobs, type Job, releaseJobs } from '../../src/platform/jobs/job-queue.ts';
import { createLogger } from '../../src/platform/log.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { sendEvents } from '../support/send-events.ts';
import { createEventLedger, type EventLedger, KEPT, ledgerEvent, readCountedEvents } from './event-ledger.ts';
import { planFault, planNoFault, type StepPlace } from './fault-plan.ts';
import {
  type InProcessPipeline,
  type LifeOptions,
  type PipelineProject,
  startInProcessPipeline,
} from './in-process-pipeline.ts';
import { findLeftOverWork } from './left-over-work.ts';

/** What counts as an attempt, and who pays for it (docs/contract/reliability.md A3, docs/contract/incidents.md 5.1). */

/** A lease lasts 30 s here, so nothing below may have waited for one. */
const SOON_MS = 10_000;
/** Whoever counts an attempt waits for an hour. */
const LIFE: LifeOptions = { retryDelaysMs: [3_600_000] };
const EVENTS_PER_BATCH = 3;
const FIRST_PROJECT = '00000000-0000-0000-0000-000000000000';

let pipeline: InProcessPipeline;
let project: PipelineProject;
let ledger: EventLedger;
beforeAll(async () => {
  pipeline = await startInProcessPipeline(1);
});
afterAll(() => pipeline.stop());

describe('an attempt', () => {
  it.each([
    { name: 'get range', occurrence: 1 },
    { name: 'statement jobs-finish', occurrence: 1 },
    { name: 'commit', occurrence: 1 },
  ] satisfies StepPlace[])(
    'is not counted for an outage that begins at "$name", nor is a lease waited for',
    async (place) => {
      await acceptBatches(1);
      const plan = planFault(place, 'outage');
      const life = await pipeline.startLife(plan, LIFE);
      plan.arm();
      life.work();
      await eventually(expectDone, SOON_MS);
      await life.end();
      expect(plan.hasStruck()).toBe(true);
      await expectKept();
    },
  );

  it('is counted for each lease that ran out, and the third splits the batch', async () => {
    await acceptBatches(1);
    await loseLeases(2);
    const life = await pipeline.startLife(planNoFault(), LIFE);
    life.work();
    await eventually(expectDone, SOON_MS);
    await life.end();
    await expectKept();
    expect(await read('select split_at is not null as found from batches where project_id = $1')).toEqual([
      true,
    ]);
  });

  it('is counted for each lease that ran out, and the eighth parks an event without another try', async () => {
    await acceptBatches(1);
    const { database } = pipeline;
    const context = { database, log: createLogger({ level: 'silent', role: 'test' }), retryDelaysMs: [] };
    await giveUpBatch(context, await claimOne(), 3, 'failed');
    expect(await read('select failures as found from jobs where fairness_key = $1')).toEqual([3, 3, 3]);
    await loseLeases(PARK_AFTER_FAILURES - 1);
    const life = await pipeline.startLife(planNoFault(), LIFE);
    life.work();
    await eventually(expectDone, SOON_MS);
    await life.end();
    expect(await readCountedEvents(pipeline.database, [project.projectId])).toEqual([]);
    expect(await read('select attempts as found from dead_letters where project_id = $1')).toEqual(
      Array(EVENTS_PER_BATCH).fill(PARK_AFTER_FAILURES),
    );
    expect(await read('select reason as found from dead_letters where project_id = $1')).toEqual(
      Array(EVENTS_PER_BATCH).fill('the worker ended or was blocked while it processed this'),
    );
  });

  it('that lost one of its leases gives the others back at once, uncounted', async () => {
    await acceptBatches(3);
    let stolen: Promise<void> | null = null;
    const life = await pipeline.startLife(planNoFault(), {
      ...LIFE,
      plant: {
        objects: (sound) => ({
          ...sound,
          async getRange(...place) {
            stolen ??= stealOneLease();
            await stolen;
            return await sound.getRange(...place);
          },
        }),
      },
    });
    life.work();
    await eventually(async () => {
      const processed = 'select processed_at is not null as found from batches where project_id = $1';
      expect((await read(processed)).filter(Boolean)).toHaveLength(2);
    }, SOON_MS);
    const failures = `select failures as found from jobs where fairness_key = $1 and lane = '${EVENTS_LANE}'`;
    expect(await read(failures)).toEqual([0]);
    await pipeline.passLeases();
    await eventually(expectDone, SOON_MS);
    await life.end();
    await expectKept();
  });
});

describe('a bundle that cannot be stored', () => {
  it('is not held against the others that are built with it', async () => {
    await acceptBatches(1, ['alpha', 'beta', 'gamma']);
    /** The beginning of the names of all documents of the first incident. */
    let refused: string | null = null;
    const life = await pipeline.startLife(planNoFault(), {
      ...LIFE,
      plant: {
        objects: (sound) => ({
          ...sound,
          async put(key, bytes) {
            if (key.startsWith('bundles/')) refused ??= key.slice(0, -newUuid().length);
            if (refused !== null && key.startsWith(refused)) throw new Error('planted');
            await sound.put(key, bytes);
          },
        }),
      },
    });
    life.work();
    await eventually(async () => {
      const statuses = 'select status as found from bundles where project_id = $1 order by status';
      expect(await read(statuses)).toEqual(['pending', 'ready', 'ready']);
      const failures = `select failures as found from jobs where fairness_key = $1 and leased_until is null`;
      expect(await read(failures)).toEqual([1]);
    }, SOON_MS);
    await life.end();
  });
});

describe('a worker that stops while a transaction takes too long', () => {
  it('hands its jobs back uncounted', { timeout: 60_000 }, async () => {
    const culprit = await startCulprit();
    try {
      const { projectToken } = await culprit.createProject();
      await whileLocked(culprit, 'lock table incidents in exclusive mode', async () => {
        await sendEvents(culprit.url, projectToken, [ledgerEvent(newUuid(), 'alpha', true).body]);
        await eventually(async () =>
          expect(await countRows(culprit, 'jobs where leased_until is not null')).toBe(1),
        );
        await culprit.stopWorker();
        expect(await countRows(culprit, 'jobs where leased_until is null and failures = 0')).toBe(1);
      });
    } finally {
      await culprit.stop();
    }
  });
});

describe('a claim', () => {
  const lane = { name: 'test-lane', kinds: ['known'] };
  const claim = async () => {
    const { jobs } = await claimJobs(pipeline.database, lane, FIRST_PROJECT, 16);
    return jobs.map(({ kind, payload, failures }) => ({ kind, name: payload.name, failures }));
  };

  it.each([
    ['before', ['failed', 'fresh', 'fresh'], [['failed'], ['fresh', 'fresh'], []]],
    ['after', ['fresh', 'fresh', 'failed'], [['fresh', 'fresh'], ['failed'], []]],
    ['between', ['fresh', 'failed', 'fresh', 'failed'], [['fresh', 'fresh'], ['failed'], ['failed'], []]],
    ['with a lost lease before', ['lost', 'fresh'], [['lost'], ['fresh'], []]],
  ])('takes a job that failed alone, %s others', async (_where, names, claims) => {
    await queueJobs(names);
    for (const expected of claims) {
      expect((await claim()).map(({ name }) => name)).toEqual(expected);
    }
  });

  it('leaves kinds in the queue that it does not know', async () => {
    await queueJobs(['fresh'], 'from-the-future');
    await queueJobs(['fresh']);
    expect(await claim()).toEqual([{ kind: 'known', name: 'fresh', failures: 0 }]);
    expect(await claim()).toEqual([]);
  });

  it('is given back once, however often that is said', async () => {
    await queueJobs(['fresh']);
    const { jobs } = await claimJobs(pipeline.database, lane, FIRST_PROJECT, 16);
    const outcome = { isCounted: true, waitMs: () => 0, error: 'failed' };
    for (let time = 0; time < 3; time += 1) await releaseJobs(pipeline.database, jobs, outcome);
    expect(await claim()).toEqual([{ kind: 'known', name: 'fresh', failures: 1 }]);
  });
});

/** A fresh project with batches that wait for their first attempt. */
async function acceptBatches(
  batches: number,
  groups: readonly string[] = Array(EVENTS_PER_BATCH).fill('alpha'),
): Promise<void> {
  project = await pipeline.createProject();
  ledger = createEventLedger();
  const life = await pipeline.startLife(planNoFault());
  for (let batch = 0; batch < batches; batch += 1) {
    const events = groups.map((group) => ledgerEvent(newUuid(), group, true));
    const answer = await life.send(
      project.token,
      events.map(({ body }) => body),
    );
    expect(answer).toMatchObject({ status: 202, accepted: EVENTS_PER_BATCH });
    ledger.note(events, 'accepted');
  }
  await life.end();
}

async function expectDone(): Promise<void> {
  expect(await findLeftOverWork(pipeline.database, [project.projectId])).toEqual({});
}

async function expectKept(): Promise<void> {
  expect(ledger.judge(await readCountedEvents(pipeline.database, [project.projectId]))).toEqual(KEPT);
}

async function read(text: string): Promise<unknown[]> {
  const rows = await pipeline.database.query<{ found: unknown }>({ name: '', text }, [project.projectId]);
  return rows.map((row) => row.found);
}

async function claimOne(): Promise<Job> {
  const lane = { name: EVENTS_LANE, kinds: [PROCESS_BATCH] };
  const {
    jobs: [job],
  } = await claimJobs(pipeline.database, lane, FIRST_PROJECT, 1);
  if (job === undefined) throw new Error('nothing to claim');
  return job;
}

/** As workers do that die before they can say anything; the next claim counts one more. */
async function loseLeases(times: number): Promise<void> {
  await pipeline.database.query(
    {
      name: 'test-lose-leases',
      text: `update jobs set failures = $2, attempt = attempt + 1, leased_until = culprit_now() - interval '1 s'
        where fairness_key = $1`,
    },
    [project.projectId, times],
  );
}

/** Somebody else got one of the jobs that are being worked on. */
async function stealOneLease(): Promise<void> {
  await pipeline.database.query(
    {
      name: 'test-steal-lease',
      text: `update jobs set attempt = attempt + 1, leased_until = culprit_now() + interval '20 s' where job_id =
        (select job_id from jobs where fairness_key = $1 and leased_until is not null order by job_id limit 1)`,
    },
    [project.projectId],
  );
}

/** Jobs of one project, in this order, after those of earlier tests were taken away. */
async function queueJobs(names: readonly string[], kind = 'known'): Promise<void> {
  if (kind === 'known') {
    await pipeline.database.query({
      name: '',
      text: `delete from jobs where lane = 'test-lane' and kind = 'known'`,
    });
  }
  const projectId = '11111111-1111-7111-8111-111111111111';
  await pipeline.database.query(
    {
      name: 'test-queue-jobs',
      text: `insert into jobs (lane, kind, fairness_key, payload, run_at, failures, leased_until)
        select 'test-lane', $1, $2, jsonb_build_object('name', name), culprit_now() - interval '1 h' + n * interval '1 s',
          case name when 'failed' then 1 else 0 end,
          case name when 'lost' then culprit_now() - interval '1 s' end
        from unnest($3::text[]) with ordinality as given (name, n)`,
    },
    [kind, projectId, [...names]],
  );
}
