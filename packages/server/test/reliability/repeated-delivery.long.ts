// Proves 4.
import {
  createFingerprinter,
  createGroupingKeyMaker,
} from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import { EVERY_EVENT_TAG } from '@culprit/evidence/incidents/event-tags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundlesLane } from '../../src/pipeline/bundles/queue/build-bundle.ts';
import { BUNDLES_LANE, REFRESHES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { eventsLane } from '../../src/pipeline/incidents/processing/process-batches.ts';
import { FACTS_LANE } from '../../src/pipeline/incidents/searching/facts.jobs.ts';
import { factsLane } from '../../src/pipeline/incidents/searching/take-facts.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import type { Lane } from '../../src/platform/jobs/job-loop.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import type { LaneWork } from '../../src/platform/jobs/lane.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore, type FileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { laneOf } from '../../src/roles/lane-loops.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import {
  createEventLedger,
  type EventLedger,
  KEPT,
  ledgerEvent,
  readCountedEvents,
  type SentEvent,
} from './event-ledger.ts';
import { findLeftOverWork } from './left-over-work.ts';
import { createStalledHolders } from './stalled-holders.ts';

/**
 * docs/contract/reliability.md test 4: each job is delivered three times, and leases run out while their holders work.
 */

const plans = SELF_HOSTED;
const SEED = chooseSeed();
const random = seededRandom(SEED);
/** For each of the two ways to deliver. */
const EVENTS = 10_000;
const EVENTS_PER_REQUEST = 100;
const GROUPS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'] as const;
/** A job that lost its lease eight times is parked; so few jumps cannot do that. */
const JUMPS_WHILE_AT_WORK = 5;
const IN_EVENTS_LANE = `jobs where lane = '${EVENTS_LANE}'`;
const JUMP_MS = (LEASE_SECONDS + 1) * 1000;

describe(`${2 * EVENTS} events whose jobs are delivered again and again (seed ${SEED})`, () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ plans, hasWorker: false });
  });
  afterAll(() => culprit.stop());

  it('count once when two workers lose their leases at work, and each job comes three times', {
    timeout: 120_000,
  }, async () => {
    const sent = await createSentProject(culprit);
    await sendNew(culprit, sent, EVENTS);
    await deliverThreeTimes(culprit);
    await setDue(culprit, `interval '1 hour'`);
    const workers: RoleProcess[] = [];
    try {
      for (let worker = 0; worker < 2; worker += 1) {
        workers.push(await startWorkerProcess(culprit, { plans, duties: ['events', 'bundles'] }));
      }
      // Both are there before the first job is due.
      await setDue(culprit, `interval '0'`);
      let aheadMs = 0;
      const jobs = await countRows(culprit, IN_EVENTS_LANE);
      for (let jump = 1; jump <= JUMPS_WHILE_AT_WORK; jump += 1) {
        const left = jobs * (1 - jump / (JUMPS_WHILE_AT_WORK + 1));
        await eventually(async () =>
          expect(await countRows(culprit, IN_EVENTS_LANE)).toBeLessThanOrEqual(left),
        );
        aheadMs += JUMP_MS;
        await moveClock(culprit.database, aheadMs);
      }
      await eventually(async () => {
        // Nobody is at work any more when all that is left waits for its time.
        if ((await countRows(culprit, 'jobs where run_at <= culprit_now()')) === 0) {
          aheadMs += JUMP_MS;
          await moveClock(culprit.database, aheadMs);
        }
        expect(await findLeftOverWork(culprit.database, [sent.id])).toEqual({});
      }, 60_000);
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
    await expectExact(culprit, sent, EVENTS);
  });

  it('count once when two of three holders stall until the next one has their job', {
    timeout: 120_000,
  }, async () => {
    await moveClock(culprit.database, 0);
    const sent = await createSentProject(culprit);
    const objects = await createFileObjectStore({
      directory: culprit.objectDirectory,
      writeTimeoutMs: 10_000,
    });
    const holders = createStalledHolders(culprit.database, (database) => lanesOn(database, objects));

    await sendNew(culprit, sent, EVENTS / 2);
    expect(await holders.deliverAll(EVENTS_LANE)).toBe(EVENTS / 2 / EVENTS_PER_REQUEST + 1);
    expect(await holders.deliverAll(BUNDLES_LANE)).toBe(GROUPS.length);
    expect(await holders.deliverAll(FACTS_LANE)).toBe(EVENTS / 2 / EVENTS_PER_REQUEST);
    // So few of an incident that each is counted by its tags.
    expect(await countTagged(culprit, sent)).toBe(EVENTS / 2);
    await sendNew(culprit, sent, EVENTS / 2);
    expect(await holders.deliverAll(EVENTS_LANE)).toBe(EVENTS / 2 / EVENTS_PER_REQUEST + 1);
    expect(await holders.deliverAll(REFRESHES_LANE)).toBe(GROUPS.length);
    expect(await holders.deliverAll(FACTS_LANE)).toBe(EVENTS / 2 / EVENTS_PER_REQUEST);
    await expectExact(culprit, sent, EVENTS);
  });
});

/** A project with the ledger of what was sent to it. */
interface SentProject {
  project: TestProject;
  id: string;
  ledger: EventLedger;
}

async function createSentProject(culprit: TestCulprit): Promise<SentProject> {
  const project = await culprit.createProject();
  return { project, id: parseId(['proj'], project.projectId) ?? '', ledger: createEventLedger() };
}

/** One request after the other, so that each is a batch of its own; then the last one again, which has ids. */
async function sendNew(culprit: TestCulprit, sent: SentProject, count: number): Promise<void> {
  let events: SentEvent[] = [];
  for (let first = 0; first < count; first += EVENTS_PER_REQUEST) {
    const hasIds = first + EVENTS_PER_REQUEST >= count || random.chance(0.3);
    events = Array.from({ length: EVENTS_PER_REQUEST }, (_, n) =>
      ledgerEvent(newUuid(), n < GROUPS.length ? (GROUPS[n] ?? 'alpha') : random.pick(GROUPS), hasIds),
    );
    await send(culprit, sent, events);
  }
  await send(culprit, sent, events);
}

async function send(
  culprit: TestCulprit,
  { project, ledger }: SentProject,
  events: SentEvent[],
): Promise<void> {
  const bodies = events.map((event) => event.body);
  const answer = await sendEvents(culprit.url, project.projectToken, bodies);
  expect(acknowledgement(answer).accepted).toBe(events.length);
  ledger.note(events, 'accepted');
}

/** As a queue that promises "at least once" may do. Jobs with a key are one by their nature. */
async function deliverThreeTimes(culprit: TestCulprit): Promise<void> {
  await culprit.database.query({
    name: 'test-deliver-three-times',
    text: `insert into jobs (lane, kind, fairness_key, payload)
      select lane, kind, fairness_key, payload from jobs, generate_series(1, 2) where key is null`,
  });
}

async function setDue(culprit: TestCulprit, wait: string): Promise<void> {
  await culprit.database.script(`update jobs set run_at = culprit_now() + ${wait}`);
}

function lanesOn(database: Database, objects: FileObjectStore): Lane[] {
  const log = createLogger({ level: 'silent', role: 'test' });
  const fingerprint = createFingerprinter({ entriesMax: 1000 });
  const constants = { baseUrl: 'http://localhost:4800', appUrl: 'http://localhost:4800' };
  const progress = { work() {}, step() {}, rest() {} };
  const groupingKey = createGroupingKeyMaker({ entriesMax: 1000 });
  const common = { database, objects, plans, fingerprint, log };
  const lane = (name: string, work: LaneWork) =>
    laneOf({ ...laneRow(name), retryDelaysMs: [100] }, work, {
      database,
      log,
      retryScale: 1,
    });
  return [
    lane(EVENTS_LANE, eventsLane({ ...common, groupingKey, progress })),
    lane(BUNDLES_LANE, bundlesLane({ ...common, constants })),
    lane(REFRESHES_LANE, bundlesLane({ ...common, constants })),
    lane(FACTS_LANE, factsLane({ database })),
  ];
}

/** Events by the tags of their incidents. */
async function countTagged(culprit: TestCulprit, { id }: SentProject): Promise<number> {
  const [row] = await culprit.database.query<{ events: number }>(
    {
      name: 'test-tagged',
      text: `select coalesce(sum(count), 0)::bigint as events from incident_tags where project_id = $1 and key = $2`,
    },
    [id, EVERY_EVENT_TAG],
  );
  return row?.events ?? 0;
}

/** Every event counts once, and everything that happened was told once. */
async function expectExact(culprit: TestCulprit, { id, ledger }: SentProject, events: number): Promise<void> {
  const { database } = culprit;
  const counted = await readCountedEvents(database, [id]);
  expect(counted).toHaveLength(events);
  expect(ledger.judge(counted)).toEqual(KEPT);
  expect(await findLeftOverWork(database, [id])).toEqual({});
  expect(await countRows(culprit, 'dead_letters where project_id = $1', [id])).toBe(0);
  const told = await database.query<{ kind: string; incidents: number; rows: number; generations: number }>(
    {
      name: 'test-told',
      text: `select kind, count(distinct incident_id) as incidents, count(*) as rows,
          count(distinct (incident_id, data ->> 'generation')) as generations
        from lifecycle_events where project_id = $1 group by kind order by kind collate "C"`,
    },
    [id],
  );
  const incidents = GROUPS.length;
  const updates = told.find(({ kind }) => kind === 'bundle.updated');
  expect(told.filter((each) => each !== updates)).toEqual([
    { kind: 'bundle.created', incidents, rows: incidents, generations: incidents },
    { kind: 'incident.opened', incidents, rows: incidents, generations: incidents },
  ]);
  // A generation is news at most once.
  expect(updates?.rows).toBe(updates?.generations);
}
