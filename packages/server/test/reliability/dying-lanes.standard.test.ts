// Proves 9.
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVERY_EVENT_TAG } from '@culprit/evidence/incidents/event-tags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LATE_MAPS_LANE, MAP_LATE } from '../../src/maps/maps.jobs.ts';
import { BUILD_BUNDLE, BUNDLES_LANE, REFRESHES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import {
  IMPROVEMENT_BUNDLES_LANE,
  IMPROVEMENTS_LANE,
} from '../../src/pipeline/improvements/improvements.jobs.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { FACTS_LANE } from '../../src/pipeline/incidents/searching/facts.jobs.ts';
import { parseId } from '../../src/platform/ids.ts';
import { retryDelayMs } from '../../src/platform/jobs/job-queue.ts';
import { LANES, laneRow, RUNNERS } from '../../src/roles/lanes.ts';
import { changed, EX, REQ, type SentEvent } from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connectImprovements, type ImprovementClient } from '../support/improvement-client.ts';
import { type HookedWorker, startHookedWorker } from './hooked-worker.ts';

/**
 * docs/contract/reliability.md test 2 for each lane that runs in a thread: whatever its thread dies over, its jobs
 * wait, are given up or stay by the row of their lane (`roles/lanes.ts`), and by no other's.
 */

/** So long that a job which waits can be told from one that does not. */
const RETRY_SCALE = 1000;
const SOON_MS = 60_000;
/** A statement that only the work of the lane makes. */
const STEPS = new Map([
  [EVENTS_LANE, 'statement batches-mark'],
  [BUNDLES_LANE, 'query bundle-find'],
  [FACTS_LANE, 'statement facts-project'],
  [REFRESHES_LANE, 'query bundle-find'],
  [IMPROVEMENTS_LANE, 'statement improvements-project'],
  [IMPROVEMENT_BUNDLES_LANE, 'query improvement-facts'],
  [LATE_MAPS_LANE, 'query maps-late-incidents'],
]);

let culprit: TestCulprit;
let worker: HookedWorker;
let directory: string;
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
  directory = await mkdtemp(join(tmpdir(), 'culprit-lanes-'));
  worker = await startHookedWorker(culprit, {
    duties: ['events', 'bundles'],
    retryScale: RETRY_SCALE,
    deathFile: join(directory, 'death'),
  });
});
afterAll(async () => {
  await worker?.kill();
  await culprit?.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('the thread of a lane that dies over a job', { timeout: 300_000 }, () => {
  it('is tested here for every lane that runs in a thread', () => {
    const inThreads = LANES.filter(({ runner }) => RUNNERS[runner].isThread).map(({ name }) => name);
    expect([...STEPS.keys()].sort()).toEqual(inThreads.sort());
  });

  it('splits a batch of events after the third time, and its events are counted', async () => {
    const client = await connect();
    await arm(EVENTS_LANE);
    await client.send(EX());
    await dieOver(client, EVENTS_LANE, 2);
    await arm(EVENTS_LANE);
    await makeDue(client, EVENTS_LANE);
    await eventually(
      async () => expect(await rows(client, 'batches where split_at is not null and')).toBe(1),
      SOON_MS,
    );
    await eventually(async () => expect(await rows(client, 'events where')).toBe(1), SOON_MS);
    expect(await jobsOf(client, EVENTS_LANE)).toEqual([]);
    // Else the next death of that lane would be over this bundle.
    await gone(client, BUNDLES_LANE);
  });

  it('gives up a first bundle after the fifth time and says so', async () => {
    const client = await connect();
    await arm(BUNDLES_LANE);
    await client.send(EX());
    await dieOver(client, BUNDLES_LANE, 4);
    await arm(BUNDLES_LANE);
    await makeDue(client, BUNDLES_LANE);
    await gone(client, BUNDLES_LANE);
    expect(await bundles(client)).toEqual([{ status: 'failed', reason: 'generation_error' }]);
  });

  it('never loses the facts of events, which are counted once when a thread survives', async () => {
    const client = await connect();
    await arm(FACTS_LANE);
    await client.send(EX(), EX());
    await dieOver(client, FACTS_LANE, 7);
    await makeDue(client, FACTS_LANE);
    await gone(client, FACTS_LANE);
    expect(await rows(client, `incident_tags where key = '${EVERY_EVENT_TAG}' and count = 2 and`)).toBe(1);
  });

  it('never gives up incidents whose maps came', async () => {
    const client = await connect();
    await arm(LATE_MAPS_LANE);
    await culprit.database.query(
      {
        name: 'test-late-maps',
        text: `with mapped as (update projects set maps_version = 1 where project_id = $1)
          insert into jobs (lane, kind, fairness_key, key, payload) values ($2, $3, $1, $1::text, '{}')`,
      },
      [idOf(client), LATE_MAPS_LANE, MAP_LATE],
    );
    await dieOver(client, LATE_MAPS_LANE, 7);
    await makeDue(client, LATE_MAPS_LANE);
    await gone(client, LATE_MAPS_LANE);
  });

  it('gives up a refresh after the fifth time and leaves the document', async () => {
    const client = await connect();
    await client.send(EX());
    await eventually(async () => {
      expect(await bundles(client)).toEqual([{ status: 'ready', reason: null }]);
    }, SOON_MS);
    await arm(REFRESHES_LANE);
    await culprit.database.query(
      {
        name: 'test-refresh',
        text: `insert into jobs (lane, kind, fairness_key, key, payload)
          select $2, $3, project_id, incident_id::text, '{"severity": 1}' from incidents where project_id = $1`,
      },
      [idOf(client), REFRESHES_LANE, BUILD_BUNDLE],
    );
    await dieOver(client, REFRESHES_LANE, 4);
    await arm(REFRESHES_LANE);
    await makeDue(client, REFRESHES_LANE);
    await gone(client, REFRESHES_LANE);
    expect(await bundles(client)).toEqual([{ status: 'ready', reason: null }]);
  });

  it('never loses observations, which are counted once when a thread survives', async () => {
    const client = await connect();
    await arm(IMPROVEMENTS_LANE);
    await client.send(...slow(20));
    await dieOver(client, IMPROVEMENTS_LANE, 7);
    await makeDue(client, IMPROVEMENTS_LANE);
    await gone(client, IMPROVEMENTS_LANE);
    expect(await client.onlyImprovement()).toMatchObject({ occurrence_count: 20 });
  });

  it('gives up the document of an improvement after the fifth time, and nobody waits for it', async () => {
    const client = await connect();
    await arm(IMPROVEMENT_BUNDLES_LANE);
    await client.send(...slow(20));
    await dieOver(client, IMPROVEMENT_BUNDLES_LANE, 4);
    await arm(IMPROVEMENT_BUNDLES_LANE);
    await makeDue(client, IMPROVEMENT_BUNDLES_LANE);
    await gone(client, IMPROVEMENT_BUNDLES_LANE);
    const { improvement_id: id } = await client.onlyImprovement();
    const { body } = await client.get(`/v1/projects/${client.project.projectId}/improvements/${id}/bundle`);
    expect(body).toEqual({ status: 'failed', reason: 'generation_error' });
  });
});

/** Requests that the detector of slow ones counts. */
function slow(count: number): SentEvent[] {
  const payload = { method: 'GET', path: '/api/search', response_status: 200, duration_ms: 2500 };
  return Array.from({ length: count }, () => changed(REQ(), { payload }));
}

function connect(): Promise<ImprovementClient> {
  return connectImprovements(culprit);
}

/** The next thread that works in the lane dies. */
async function arm(lane: string): Promise<void> {
  await writeFile(join(directory, 'death'), JSON.stringify({ step: STEPS.get(lane), isLate: false }));
}

/**
 * Lets a thread die over the lane's only job until it has failed a number of times; the first death is announced
 * already. Each failure between the first and the last but one is a row alone.
 */
async function dieOver(client: ImprovementClient, lane: string, times: number): Promise<void> {
  const { retryDelaysMs } = laneRow(lane);
  if (typeof retryDelaysMs === 'function') throw new Error('a lane in a thread has delays of its own');
  for (const failures of new Set([1, times])) {
    if (failures > 1) {
      await arm(lane);
      await makeDue(client, lane, failures - 1);
    }
    await eventually(async () => {
      const [job] = await jobsOf(client, lane);
      expect(job).toMatchObject({ failures, error: 'the worker thread ended while it worked' });
      const delaySeconds = (retryDelayMs(retryDelaysMs, failures) * RETRY_SCALE) / 1000;
      expect(job?.wait_seconds).toBeLessThanOrEqual(delaySeconds);
      expect(job?.wait_seconds).toBeGreaterThan(delaySeconds - 60);
    }, SOON_MS);
    await expect(access(join(directory, 'death'))).rejects.toThrow();
  }
}

/** @param failures what the job has failed by now, if that is not what it did */
async function makeDue(client: ImprovementClient, lane: string, failures?: number): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-make-due',
      text: `update jobs set run_at = culprit_now(), failures = coalesce($3, failures)
        where fairness_key = $1 and lane = $2`,
    },
    [idOf(client), lane, failures ?? null],
  );
}

async function gone(client: ImprovementClient, lane: string): Promise<void> {
  await eventually(async () => expect(await jobsOf(client, lane)).toEqual([]), SOON_MS);
}

async function jobsOf(client: ImprovementClient, lane: string) {
  return await culprit.database.query<{ failures: number; error: string | null; wait_seconds: number }>(
    {
      name: 'test-jobs-of',
      text: `select failures, last_error as error, extract(epoch from run_at - culprit_now())::float8 as wait_seconds
        from jobs where fairness_key = $1 and lane = $2`,
    },
    [idOf(client), lane],
  );
}

async function bundles(client: ImprovementClient) {
  return await culprit.database.query<{ status: string; reason: string | null }>(
    {
      name: 'test-bundles',
      text: 'select status, failure_reason as reason from bundles where project_id = $1',
    },
    [idOf(client)],
  );
}

async function rows(client: ImprovementClient, from: string): Promise<number> {
  return await countRows(culprit, `${from} project_id = $1`, [idOf(client)]);
}

function idOf(client: ImprovementClient): string {
  return parseId(['proj'], client.project.projectId) ?? '';
}
