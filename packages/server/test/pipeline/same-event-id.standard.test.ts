// Proves 5.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClosedDays } from '../../src/pipeline/incidents/processing/closed-days.ts';
import { findKnownIds } from '../../src/pipeline/incidents/processing/event-ids.queries.ts';
import { ensureEventPartition } from '../../src/pipeline/incidents/processing/evidence.queries.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { recordFigure } from '../proof/record-figure.ts';
import { countRows, readNumber } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startApiProcess, startWorkerProcess } from '../support/role-process.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';

/** Identity of events: docs/contract/ingestion.md 3.8, docs/contract/reliability.md A2, test 5. */

const plans = SELF_HOSTED;
const DAY_MS = 86_400_000;

let culprit: TestCulprit;
let processes: RoleProcess[];
let urls: string[];

beforeAll(async () => {
  culprit = await startCulprit({ plans, hasWorker: false });
  const [api, ...workers] = await Promise.all([
    startApiProcess(culprit, { plans }),
    startWorkerProcess(culprit, { plans }),
    startWorkerProcess(culprit, { plans }),
  ]);
  processes = [api, ...workers];
  urls = [culprit.url, api.report];
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill()));
  await culprit.stop();
});

function exception(group: string, eventId?: string) {
  return {
    event_type: 'backend_exception',
    timestamp: '2026-03-24T10:30:00Z',
    ...(eventId === undefined ? {} : { event_id: eventId }),
    service: { name: 'api-server', environment: 'production' },
    payload: { name: `${group}Error`, message: `${group} broke`, stack: null },
  };
}

async function accept(project: TestProject, url: string, events: readonly object[]): Promise<void> {
  const answer = acknowledgement(await sendEvents(url, project.projectToken, events));
  expect(answer).toEqual({ accepted: events.length, rejected: 0, errors: [] });
}

async function fate(project: TestProject, name: string): Promise<number> {
  const id = parseId(['proj'], project.projectId) ?? '';
  return await readNumber(culprit, 'sum(events)', 'event_fates where project_id = $1 and fate = $2', [
    id,
    name,
  ]);
}

const GROUPS = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
const COPIES = 5;
const WAVES = 25;
const IDS_PER_WAVE = 40;
const IDS_PER_REQUEST = 10;

describe('the same event_id', () => {
  it('five times in parallel on two processes counts once, a thousand times over', {
    timeout: 120_000,
  }, async () => {
    const project = await culprit.createProject();
    for (let wave = 0; wave < WAVES; wave += 1) {
      const events = Array.from({ length: IDS_PER_WAVE }, (_, index) =>
        exception(GROUPS[index % GROUPS.length] ?? '', newUuid()),
      );
      await Promise.all(copiesOf(events).map((copy, index) => accept(project, urls[index % 2] ?? '', copy)));
    }
    await laneIsEmpty(culprit, EVENTS_LANE);

    const ids = WAVES * IDS_PER_WAVE;
    const id = [parseId(['proj'], project.projectId) ?? ''];
    expect({
      submitted: await fate(project, 'submitted'),
      processed: await fate(project, 'processed'),
      duplicate: await fate(project, 'duplicate'),
      events: await countRows(culprit, 'events where project_id = $1', id),
      ids: await readNumber(culprit, 'count(distinct event_id)', 'events where project_id = $1', id),
    }).toEqual({ submitted: 5 * ids, processed: ids, duplicate: 4 * ids, events: ids, ids });
    expect(await readOccurrences(culprit, project.projectId)).toEqual(
      GROUPS.map((group) => ({ title: `${group}Error: ${group} broke`, occurrences: ids / GROUPS.length })),
    );
    recordFigure(5, `${ids} groups of ${COPIES}, each counted once`);
  });

  it('in two projects counts in each', async () => {
    const projects = [await culprit.createProject(), await culprit.createProject()];
    const event = exception('alpha', 'evt_shared');
    await Promise.all(projects.map((project, index) => accept(project, urls[index] ?? '', [event, event])));
    await laneIsEmpty(culprit, EVENTS_LANE);
    for (const project of projects) {
      expect(await readOccurrences(culprit, project.projectId)).toEqual([
        { title: 'alphaError: alpha broke', occurrences: 1 },
      ]);
    }
  });

  it('is the same only letter by letter', async () => {
    const project = await culprit.createProject();
    const ids = [
      'evt_a',
      'evt_A',
      'evt_a ',
      ' evt_a',
      'evt_\u00e4',
      'evt_a\u0308',
      '__proto__',
      'constructor',
    ];
    await accept(
      project,
      culprit.url,
      ids.map((id) => exception('alpha', id)),
    );
    await accept(
      project,
      culprit.url,
      ids.map((id) => exception('alpha', id)),
    );
    await laneIsEmpty(culprit, EVENTS_LANE);
    expect(await readOccurrences(culprit, project.projectId)).toEqual([
      { title: 'alphaError: alpha broke', occurrences: ids.length },
    ]);
  });

  it('counts again after seven days, and not before', async () => {
    const project = await culprit.createProject();
    const occurrences = async () => (await readOccurrences(culprit, project.projectId))[0]?.occurrences;
    try {
      for (const [offsetMs, expected] of [
        [0, 1],
        [7 * DAY_MS - 60_000, 1],
        [7 * DAY_MS + 60_000, 2],
      ] as const) {
        await moveClock(culprit.database, offsetMs);
        await accept(project, culprit.url, [exception('alpha', 'evt_weekly')]);
        await laneIsEmpty(culprit, EVENTS_LANE);
        expect([offsetMs, await occurrences()]).toEqual([offsetMs, expected]);
      }
    } finally {
      await moveClock(culprit.database, 0);
    }
  });

  it('is found by a worker that waited for another, whichever day each event came', async () => {
    const project = await culprit.createProject();
    const projectId = parseId(['proj'], project.projectId) ?? '';
    const midnightMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    const idHash = 4711n;
    for (const receivedAtMs of [midnightMs - 1, midnightMs]) {
      await ensureEventPartition(culprit.database, receivedAtMs);
    }
    const closedDays = createClosedDays({ bytesMax: 0, idsMin: 1 });
    const search = (receivedAtMs: number) =>
      closedDays.search(projectId, [idHash], receivedAtMs - 7 * DAY_MS);
    const { promise: looked, resolve: tellLooked } = Promise.withResolvers<void>();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const before = culprit.database.transaction(async (transaction) => {
      const { known } = await findKnownIds(transaction, projectId, search(midnightMs - 1));
      transaction.send(
        {
          name: 'test-event',
          text: `insert into events (project_id, service_id, batch_id, occurred_at, received_at, frame_offset,
              frame_length, record_offset, library, event_type, event_class, level, is_counted, event_id, id_hash)
            values ($1, $1, $1, $2, $2, 0, 0, 0, 0, 0, 0, 0, false, 'evt_midnight', $3::bigint)`,
        },
        [projectId, new Date(midnightMs - 1), String(idHash)],
      );
      tellLooked();
      await mayEnd;
      return known;
    });
    await looked;
    const after = culprit.database.transaction((transaction) =>
      findKnownIds(transaction, projectId, search(midnightMs)),
    );
    await eventually(async () =>
      expect(await countRows(culprit, `pg_locks where locktype = 'advisory' and not granted`)).toBe(1),
    );
    end();
    expect([await before, (await after).known]).toEqual([new Set(), new Set([idHash])]);
  });
});

describe('an event without event_id', () => {
  it('counts as often as it is sent, in one request and in several', async () => {
    const project = await culprit.createProject();
    const event = exception('alpha');
    await Promise.all(urls.flatMap((url) => [0, 1].map(() => accept(project, url, [event, event, event]))));
    await laneIsEmpty(culprit, EVENTS_LANE);
    expect(await readOccurrences(culprit, project.projectId)).toEqual([
      { title: 'alphaError: alpha broke', occurrences: 12 },
    ]);
    expect(await fate(project, 'duplicate')).toBe(0);
  });
});

/** Five times each event, in requests that hold it among other neighbours and in another order each time. */
function copiesOf(events: readonly object[]): object[][] {
  const requests: object[][] = [];
  for (let copy = 0; copy < COPIES; copy += 1) {
    const turned = [...events.slice(copy * 7), ...events.slice(0, copy * 7)];
    if (copy % 2 === 1) turned.reverse();
    for (let start = 0; start < turned.length; start += IDS_PER_REQUEST) {
      requests.push(turned.slice(start, start + IDS_PER_REQUEST));
    }
  }
  return requests;
}
