import { createGroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { eventsLane } from '../../src/pipeline/incidents/processing/process-batches.ts';
import { createReportKeyMemory } from '../../src/pipeline/incidents/processing/report-key-memory.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { claimJobs } from '../../src/platform/jobs/job-queue.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { nodeException, scriptException } from '../conformance/library-events.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendEvents } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';

const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
const DAY = 24 * 3_600_000;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
});
afterAll(() => culprit.stop());

/** Keys under which libraries may report repeats (docs/contract/incidents.md 5.10). */
describe('the keys of signals', () => {
  it('are written with a claim that succeeds, once for repeats, and found by each worker', async () => {
    const project = await culprit.createProject();
    const failing = { isArmed: true };
    const [one, other] = [await startLane(failing), await startLane({ isArmed: false })];
    const pay = nodeException('PayError');

    await send(project, [pay.event(), pay.event()]);
    const jobs = await claim();
    await expect(one.run(jobs)).rejects.toThrow('the commit fails');
    await one.run(jobs);
    expect(await keysInRows()).toBe(1);
    await send(project, [pay.event()]);
    await one.run(await claim());
    expect(await keysInRows()).toBe(1);
    await send(project, [pay.event(), pay.report(26)]);
    await other.run(await claim());
    expect(await counts(project)).toEqual([30]);
  });

  it('are known for seven days after a signal, and for as long after a report', async () => {
    const project = await culprit.createProject();
    const lane = await startLane({ isArmed: false });
    const [pay, cart, late] = ['PayError', 'CartError', 'LateError'].map((name) =>
      scriptException('ruby', name),
    );
    if (pay === undefined || cart === undefined || late === undefined) throw new Error('there are three');
    const after = async (days: number, ...events: object[]) => {
      await moveClock(culprit.database, days * DAY);
      await send(project, events);
      await lane.run(await claim());
      return await counts(project);
    };
    expect(await after(0, pay.event(), cart.event(), late.event())).toEqual([1, 1, 1]);
    expect(await after(6.9, pay.report(4))).toEqual([1, 1, 5]);
    expect(await after(7.1, cart.report(7), late.report(7))).toEqual([1, 1, 5]);
    expect(await after(13.8, pay.report(10))).toEqual([1, 1, 15]);
  });
});

describe('a memory of keys', () => {
  const serviceId = newUuid();
  const incidentId = newUuid();
  const key = (clientKey: bigint, of = incidentId) => ({ serviceId, clientKey, incidentId: of });

  it('knows a key for its incident, and for an hour', () => {
    const memory = createReportKeyMemory(10);
    memory.note([key(1n), key(2n)], 0);
    expect(memory.unknown([key(1n), key(2n, newUuid()), key(3n)], 1000)).toMatchObject([
      { clientKey: 2n },
      { clientKey: 3n },
    ]);
    expect(memory.unknown([key(1n)], 3_599_999)).toEqual([]);
    expect(memory.unknown([key(1n)], 3_600_000)).toHaveLength(1);
    memory.note([key(1n)], 0);
    expect(memory.unknown([{ ...key(1n), serviceId: newUuid() }], 0)).toHaveLength(1);
  });

  it('forgets first what was not used for longest', () => {
    const memory = createReportKeyMemory(3);
    memory.note([key(1n), key(2n), key(3n)], 0);
    expect(memory.unknown([key(1n)], 0)).toEqual([]);
    memory.note([key(4n), key(5n)], 0);
    expect(
      memory.unknown(
        [1n, 2n, 3n, 4n, 5n].map((n) => key(n)),
        0,
      ),
    ).toMatchObject([{ clientKey: 2n }, { clientKey: 3n }]);
  });
});

/** The lane of a worker; where armed, its next transaction fails when all of it was done. */
async function startLane(failing: { isArmed: boolean }) {
  const { database } = culprit;
  const failingDatabase: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (transaction) => {
        const result = await work(transaction);
        if (!failing.isArmed) return result;
        failing.isArmed = false;
        throw new Error('the commit fails');
      }),
  };
  return eventsLane({
    database: failingDatabase,
    objects: await createFileObjectStore({ directory: culprit.objectDirectory, writeTimeoutMs: 10_000 }),
    plans: SELF_HOSTED,
    groupingKey: createGroupingKeyMaker({ entriesMax: 1000 }),
    progress: { work() {}, step() {}, rest() {} },
    log: createLogger({ level: 'silent', role: 'test' }),
  });
}

async function send(project: TestProject, events: readonly object[]): Promise<void> {
  const answer = await sendEvents(culprit.url, project.projectToken, events);
  expect(answer.status).toBe(202);
}

async function claim() {
  const { jobs } = await claimJobs(culprit.database, laneRow(EVENTS_LANE), NO_PROJECT, 10);
  expect(jobs).toHaveLength(1);
  return jobs;
}

async function keysInRows(): Promise<number> {
  const rows = await culprit.database.query<{ keys: number }>({
    name: 'test-keys-in-rows',
    text: 'select count(report_key)::integer as keys from events',
  });
  return rows[0]?.keys ?? 0;
}

async function counts(project: TestProject): Promise<number[]> {
  const incidents = await readOccurrences(culprit, project.projectId);
  return incidents.map(({ occurrences }) => occurrences).sort((a, b) => a - b);
}
