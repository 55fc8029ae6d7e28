// Proves 5.
import { createGroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import { eventIdKey } from '@culprit/evidence/events/redact/event-id-key';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClosedDays, createClosedDays } from '../../src/pipeline/incidents/processing/closed-days.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { eventsLane } from '../../src/pipeline/incidents/processing/process-batches.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { claimJobs } from '../../src/platform/jobs/job-queue.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendEvents } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';

/** Repetitions of ids in days that are over, of which workers remember filters (docs/contract/ingestion.md 3.8). */

const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BYTES_MAX = 1_000_000;
const DAYS = 7;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
});
afterEach(() => moveClock(culprit.database, 0));
afterAll(() => culprit.stop());

describe('ids of days that are over', () => {
  it('are repetitions for a worker with filters, as for one without', async () => {
    const project = await culprit.createProject();
    const days = newDays();
    const [one, other] = [await startLane(days), await startLane(newDays())];
    await send(project, 'evt_first');
    await one.run(await claim());

    await moveClock(culprit.database, 2 * DAY_MS);
    await send(project, 'evt_second');
    await one.run(await claim());
    await readAll(days, project);
    expect(looked(days, project, 2)).toEqual({
      everywhere: ['evt_first'],
      recent: ['evt_second', 'evt_new'],
    });
    for (const lane of [one, other]) {
      await send(project, 'evt_first', 'evt_second', 'evt_first');
      await lane.run(await claim());
      expect(await counts(project)).toEqual([2]);
    }
    // Behind the seven days it is another event.
    await moveClock(culprit.database, 7 * DAY_MS + 60_000);
    await send(project, 'evt_first', 'evt_second');
    await one.run(await claim());
    expect(await counts(project)).toEqual([3]);
  });

  it('count twice where a filter lacks them: planted, so that the test above proves the filter', async () => {
    const project = await culprit.createProject();
    const days = newDays();
    const lane = await startLane({
      ...days,
      search: (projectId, ids, fromMs) => {
        const search = days.search(projectId, ids, fromMs);
        return search.filtered.size === 0 ? search : { ...search, everywhere: [], recent: ids };
      },
    });
    await send(project, 'evt_first');
    await lane.run(await claim());
    await moveClock(culprit.database, 2 * DAY_MS);
    await send(project, 'evt_second');
    await lane.run(await claim());
    await readAll(days, project);
    await send(project, 'evt_first');
    await lane.run(await claim());
    expect(await counts(project)).toEqual([3]);
  });

  it('are found when another worker adds them late, at its second attempt', async () => {
    const project = await culprit.createProject();
    const days = newDays();
    const failing = { isArmed: false };
    const [one, other] = [await startLane(days), await startLane(newDays(), failing)];
    await send(project, 'evt_first');
    await one.run(await claim());
    await send(project, 'evt_late');

    await moveClock(culprit.database, 2 * DAY_MS);
    const late = await claim();
    await send(project, 'evt_second');
    await one.run(await claim());
    await readAll(days, project);
    const before = looked(days, project, 2, ['evt_late']);
    const daysBefore = daysWith(days, project, 2);
    failing.isArmed = true;
    await expect(other.run(late)).rejects.toThrow('the commit fails');
    await send(project, 'evt_third');
    await one.run(await claim());
    expect(looked(days, project, 2, ['evt_late'])).toEqual(before);
    await other.run(late);
    expect(await counts(project)).toEqual([4]);

    await send(project, 'evt_late');
    await one.run(await claim());
    expect(await counts(project)).toEqual([4]);
    // The day has no filter until it is read again, an hour later.
    await days.advance(culprit.database, uuidOf(project));
    expect(daysWith(days, project, 2)).toBeLessThan(daysBefore);
    await moveClock(culprit.database, 2 * DAY_MS + HOUR_MS);
    await send(project, 'evt_fourth');
    await one.run(await claim());
    await readAll(days, project);
    expect(looked(days, project, 2, ['evt_late', 'evt_new'])).toEqual({
      everywhere: ['evt_late'],
      recent: ['evt_new'],
    });
  });

  it('are read only where a project has enough of them, and fit into the memory', async () => {
    const project = await culprit.createProject();
    const few = createClosedDays({ bytesMax: BYTES_MAX, idsMin: 3 });
    const small = createClosedDays({ bytesMax: DAYS * 32 - 1, idsMin: 1 });
    for (const days of [few, small]) {
      const lane = await startLane(days);
      await send(project, `evt_${days === few}_1`, `evt_${days === few}_2`);
      await lane.run(await claim());
      for (let n = 0; n < 3 * DAYS; n += 1) await days.advance(culprit.database, uuidOf(project));
    }
    expect(few.bytes()).toBe(0);
    expect(small.bytes()).toBe((DAYS - 1) * 32);
  });

  it('are in a list of days that a claim does not write, and that holds no older ones', async () => {
    const project = await culprit.createProject();
    const days = newDays();
    const lane = await startLane(days);
    const rows = () => countRows(culprit, 'event_id_days where project_id = $1', [uuidOf(project)]);
    await send(project, 'evt_first');
    await lane.run(await claim());
    expect(await rows()).toBe(0);
    for (const at of [0, 3, 30]) {
      await moveClock(culprit.database, at * DAY_MS);
      await send(project, `evt_at_${at}`);
      await lane.run(await claim());
      await readAll(days, project);
      expect([at, (await rows()) <= DAYS]).toEqual([at, true]);
    }
  });
});

function newDays(): ClosedDays {
  return createClosedDays({ bytesMax: BYTES_MAX, idsMin: 1 });
}

/** Reads all days that are over: none is empty-handed more than once, so that twice their number of parts is enough. */
async function readAll(days: ClosedDays, project: TestProject): Promise<void> {
  for (let n = 0; n < 2 * DAYS; n += 1) await days.advance(culprit.database, uuidOf(project));
  expect(days.bytes()).toBeGreaterThanOrEqual(DAYS * 32);
}

/** The places where a claim would look for ids so many days from now. */
function looked(
  days: ClosedDays,
  project: TestProject,
  afterDays: number,
  ids = ['evt_first', 'evt_second', 'evt_new'],
) {
  const fromMs = Date.now() + (afterDays - 7) * DAY_MS;
  const search = days.search(uuidOf(project), ids.map(eventIdKey), fromMs);
  const named = (keys: readonly bigint[]) => ids.filter((id) => keys.includes(eventIdKey(id)));
  return { everywhere: named(search.everywhere), recent: named(search.recent) };
}

/** The number of days of which a claim so many days from now would use filters. */
function daysWith(days: ClosedDays, project: TestProject, afterDays: number): number {
  return days.search(uuidOf(project), [], Date.now() + (afterDays - 7) * DAY_MS).filtered.size;
}

function uuidOf(project: TestProject): string {
  return parseId(['proj'], project.projectId) ?? '';
}

/** The lane of a worker; where armed, its next transaction fails when all of it was done. */
async function startLane(closedDays: ClosedDays, failing = { isArmed: false }) {
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
    closedDays,
  });
}

async function send(project: TestProject, ...ids: string[]): Promise<void> {
  const events = ids.map((id) => ({
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    event_id: id,
    service: { name: 'api-server', environment: 'production' },
    payload: { name: 'DayError', message: 'a day is over', stack: null },
  }));
  const answer = await sendEvents(culprit.url, project.projectToken, events);
  expect(answer.status).toBe(202);
}

async function claim() {
  const { jobs } = await claimJobs(culprit.database, laneRow(EVENTS_LANE), NO_PROJECT, 10);
  expect(jobs).toHaveLength(1);
  return jobs;
}

async function counts(project: TestProject): Promise<number[]> {
  return (await readOccurrences(culprit, project.projectId)).map(({ occurrences }) => occurrences);
}
