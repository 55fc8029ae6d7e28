// Proves 18.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { parseId } from '../../src/platform/ids.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';

/**
 * docs/contract/reliability.md test 18 for batches and incidents: workers race for the same ones, each has one effect.
 */

const plans = SELF_HOSTED;
const SEED = chooseSeed();
const PROJECTS = 2;
const ROUNDS = runSize('CULPRIT_TEST_ROUNDS', { standard: 300, long: 1000 });
const WORKERS = 3;
/** A claim takes 16 batches, so that neighbours are worked on at the same time by different workers. */
const BATCHES_PER_CLAIM = 16;
const EVENTS_PER_BATCH = 3;

const USERS = ['alice', 'bob', 'chen', 'dana', 'emil', 'farid', 'grete', 'hans', 'ines'];
const MESSAGES = [
  "User '…' could not sign in",
  "Payment of '…' was declined by the bank",
  "Host '…' refused the connection twice",
  "The cache of '…' is stale and was dropped",
];

describe(`three workers that race (seed ${SEED})`, () => {
  let culprit: TestCulprit;
  const workers: RoleProcess[] = [];

  beforeAll(async () => {
    culprit = await startCulprit({ plans, hasWorker: false });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await culprit.stop();
  });

  it(`count ${ROUNDS} batches once, although each is delivered three times`, {
    timeout: 120_000,
  }, async () => {
    const projects = await Promise.all(Array.from({ length: PROJECTS }, () => culprit.createProject()));
    const expected = await Promise.all(projects.map((project) => sendBatches(culprit, project)));
    expect(await countRows(culprit, 'batches')).toBe(ROUNDS);
    await deliverThreeTimes(culprit);
    await setDue(culprit, `interval '1 hour'`);
    workers.push(
      ...(await Promise.all(Array.from({ length: WORKERS }, () => startWorkerProcess(culprit, { plans })))),
    );
    await setDue(culprit, `interval '0'`);
    await laneIsEmpty(culprit, EVENTS_LANE, 100_000);

    const events = ROUNDS * EVENTS_PER_BATCH;
    expect({
      processed: await readNumber(culprit, 'sum(events)', `event_fates where fate = 'processed'`),
      duplicate: await readNumber(culprit, 'sum(events)', `event_fates where fate = 'duplicate'`),
      deadLetter: await readNumber(culprit, 'sum(events)', `event_fates where fate = 'dead_letter'`),
      events: await countRows(culprit, 'events'),
      unmarked: await countRows(culprit, 'batches where processed_at is null'),
    }).toEqual({ processed: events, duplicate: 0, deadLetter: 0, events, unmarked: 0 });

    for (const [index, project] of projects.entries()) {
      const wanted = [...(expected[index] ?? [])].map(([title, occurrences]) => ({ title, occurrences }));
      expect(await readOccurrences(culprit, project.projectId)).toEqual(
        wanted.sort((a, b) => (a.title < b.title ? -1 : 1)),
      );
      await expectOneOpening(culprit, project, wanted.length);
    }
  });

  it('learn the same values of messages in whatever order, although two of them are killed', {
    timeout: 120_000,
  }, async () => {
    const project = await culprit.createProject();
    const random = seededRandom(SEED);
    const words = MESSAGES.flatMap((message) => USERS.map((user) => message.replace('…', user)));
    // Each word at least once, and the rest by chance.
    const texts = [
      ...words,
      ...Array.from({ length: 200 }, () => words[random.integer(0, words.length - 1)] ?? ''),
    ];
    const shuffled = texts.map((text) => ({ text, at: random.integer(0, 1e6) })).sort((a, b) => a.at - b.at);
    for (const [index, { text }] of shuffled.entries()) {
      const answer = await sendEvents(culprit.url, project.projectToken, [log(text)]);
      expect(acknowledgement(answer).accepted).toBe(1);
      if (index % 80 !== 79) continue;
      await workers.shift()?.kill();
      workers.push(await startWorkerProcess(culprit, { plans }));
    }
    // Past the leases of the workers that were killed.
    await moveClock(culprit.database, LEASE_SECONDS * 1000);
    await laneIsEmpty(culprit, EVENTS_LANE, 100_000);
    const rows = await culprit.database.query<{ title: string; status: string; occurrences: number }>(
      {
        name: 'test-learned-incidents',
        text: 'select title, status, occurrence_count as occurrences from incidents where project_id = $1',
      },
      [parseId(['proj'], project.projectId)],
    );
    const learned = MESSAGES.map((message) => {
      const isOf = (text: string) => text.replace(/'\w+'/, "'…'") === message;
      const of = rows.filter(({ title }) => isOf(title));
      return {
        message,
        open: of.filter(({ status }) => status !== 'resolved').length,
        occurrences: of.reduce((sum, { occurrences }) => sum + occurrences, 0),
        sent: texts.filter(isOf).length,
      };
    });
    expect(learned).toEqual(
      learned.map(({ message, sent }) => ({ message, open: 1, occurrences: sent, sent })),
    );
    expect(rows.reduce((sum, { occurrences }) => sum + occurrences, 0)).toBe(texts.length);
  });
});

/** One request after the other, so that each is a batch of its own; tells the occurrences of each title. */
async function sendBatches(culprit: TestCulprit, project: TestProject): Promise<Map<string, number>> {
  const random = seededRandom(SEED);
  const expected = new Map<string, number>();
  for (let batch = 0; batch < ROUNDS / PROJECTS; batch += 1) {
    // Neighbouring claims meet incidents that are new to both.
    const first = Math.floor(batch / (2 * BATCHES_PER_CLAIM)) * BATCHES_PER_CLAIM;
    const events = Array.from({ length: EVENTS_PER_BATCH }, () =>
      exception(spelled(first + random.integer(0, BATCHES_PER_CLAIM - 1))),
    );
    for (const { payload } of events) {
      const title = `${payload.name}: ${payload.message}`;
      expected.set(title, (expected.get(title) ?? 0) + 1);
    }
    const answer = await sendEvents(culprit.url, project.projectToken, events);
    expect(acknowledgement(answer).accepted).toBe(EVENTS_PER_BATCH);
  }
  return expected;
}

function exception(word: string) {
  return {
    event_type: 'backend_exception',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'api-server', environment: 'production' },
    payload: {
      name: `${word}Error`,
      message: `${word} broke`,
      stack: `${word}Error: ${word} broke\n    at ${word} (/app/src/${word}.js:4:2)`,
    },
  };
}

function log(message: string) {
  return {
    event_type: 'log_event',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'api-server', environment: 'production' },
    payload: { level: 'error', message, attributes: {} },
  };
}

/** A number in letters, because digits are no part of a grouping key. */
function spelled(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

/** As leases that ran out while their holders went on would do. */
async function deliverThreeTimes(culprit: TestCulprit): Promise<void> {
  for (let copy = 0; copy < 2; copy += 1) {
    await culprit.database.query({
      name: 'test-deliver-again',
      text: `insert into jobs (lane, kind, fairness_key, payload)
        select distinct on (payload) lane, kind, fairness_key, payload from jobs order by payload`,
    });
  }
}

/** Held back until every worker is there, so that they begin at once. */
async function setDue(culprit: TestCulprit, wait: string): Promise<void> {
  await culprit.database.script(`update jobs set run_at = culprit_now() + ${wait}`);
}

/** Whoever wins the race for a new incident, it is opened once and asks for one bundle. */
async function expectOneOpening(
  culprit: TestCulprit,
  project: TestProject,
  incidents: number,
): Promise<void> {
  const id = [parseId(['proj'], project.projectId) ?? ''];
  expect({
    opened: await countRows(
      culprit,
      `lifecycle_events where project_id = $1 and kind = 'incident.opened'`,
      id,
    ),
    incidents: await readNumber(
      culprit,
      'count(distinct incident_id)',
      'lifecycle_events where project_id = $1',
      id,
    ),
  }).toEqual({ opened: incidents, incidents });
}
