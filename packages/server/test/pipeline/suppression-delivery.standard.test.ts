import { createGroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { eventsLane } from '../../src/pipeline/incidents/processing/process-batches.ts';
import type { Database, Transaction } from '../../src/platform/db/database.ts';
import { claimJobs } from '../../src/platform/jobs/job-queue.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { named, SUP } from '../conformance/incidents-fixtures.ts';
import { nodeException, nodeRequest } from '../conformance/library-events.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { type RoleProcess, startWorkerProcess } from '../support/role-process.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';

const plans = SELF_HOSTED;
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ plans, hasWorker: false });
});
afterAll(() => culprit.stop());

async function send(project: TestProject, events: readonly object[]): Promise<void> {
  const { accepted, errors } = acknowledgement(await sendEvents(culprit.url, project.projectToken, events));
  expect({ accepted, errors }).toEqual({ accepted: events.length, errors: [] });
}

const counts = async (project: TestProject) =>
  (await readOccurrences(culprit, project.projectId)).map(({ occurrences }) => occurrences);

describe('reports of suppressed repeats', () => {
  it('count once, however often they are sent and delivered', { timeout: 60_000 }, async () => {
    const project = await culprit.createProject();
    const [one, other] = [nodeException('PayError'), nodeRequest('/pay')];
    const signals = [one, other].flatMap(({ event }) => [event(), event(), event()]);
    const reports = Array.from({ length: 27 }, () => [one.report(1), other.report(1)]).flat();
    const workers: RoleProcess[] = [];
    try {
      await send(project, signals);
      for (let n = 0; n < 3; n += 1) workers.push(await startWorkerProcess(culprit, { plans }));
      await laneIsEmpty(culprit, EVENTS_LANE, 20_000);
      expect(await counts(project)).toEqual([3, 3]);

      for (const report of reports) await send(project, [report]);
      // As a client does that never read an answer, and as leases that ran out at work.
      await send(project, [...signals, ...reports]);
      await culprit.database.script(`insert into jobs (lane, kind, fairness_key, payload)
        select lane, kind, fairness_key, payload from jobs, generate_series(1, 2) where lane = '${EVENTS_LANE}'`);
      await laneIsEmpty(culprit, EVENTS_LANE, 40_000);
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
    expect(await counts(project)).toEqual([30, 30]);
  });

  it('cost as many statements in two thousand as in three hundred', { timeout: 60_000 }, async () => {
    const perTransaction: string[][] = [];
    for (const reports of [150, 1000]) {
      const project = await culprit.createProject();
      // Half of them name a key, half are looked for by time, in spans of their own.
      const one = nodeException('PayError');
      await send(project, [one.event(), named('Custom')]);
      await processHere();
      const nowMs = Date.now();
      const byKey = Array.from({ length: reports }, () => one.report(1));
      const byTime = Array.from({ length: reports }, (_, n) =>
        SUP({ payload: { suppressed_count: 1, first_seen: new Date(nowMs - 20_000 - n).toISOString() } }),
      );
      await send(project, [...byKey, ...byTime]);
      perTransaction.push(await processHere());
      // Of very many spans only the first are searched.
      expect(await counts(project)).toEqual([1 + Math.min(reports, 256), 1 + reports]);
    }
    const [few = [], many = []] = perTransaction;
    expect(few.length).toBeLessThan(25);
    expect(few).toContain('suppressed-incidents-find');
    expect(many).toEqual(few);
  });

  it('that name a million each overflow nothing', { timeout: 60_000 }, async () => {
    const project = await culprit.createProject();
    const one = nodeException('PayError');
    await send(project, [one.event()]);
    await processHere();
    for (let batch = 0; batch < 3; batch += 1) {
      await send(
        project,
        Array.from({ length: 1000 }, () => one.report(1_000_000)),
      );
      await processHere();
    }
    expect(await counts(project)).toEqual([3_000_000_001]);
  });
});

/** Processes what waits in this process; tells the names of the statements of its last transaction. */
async function processHere(): Promise<string[]> {
  const { database } = culprit;
  let names: string[] = [];
  const noting: Database = {
    ...database,
    transaction: (work) => {
      names = [];
      return database.transaction((transaction) => {
        const noted: Transaction = {
          send: (statement, parameters) => {
            names.push(statement.name);
            transaction.send(statement, parameters);
          },
          query: (statement, parameters) => {
            names.push(statement.name);
            return transaction.query(statement, parameters);
          },
        };
        return work(noted);
      });
    },
  };
  const lane = eventsLane({
    database: noting,
    objects: await createFileObjectStore({ directory: culprit.objectDirectory, writeTimeoutMs: 10_000 }),
    plans,
    groupingKey: createGroupingKeyMaker({ entriesMax: 1000 }),
    progress: { work() {}, step() {}, rest() {} },
    log: createLogger({ level: 'silent', role: 'test' }),
  });
  const { jobs } = await claimJobs(database, laneRow(EVENTS_LANE), NO_PROJECT, 10);
  expect(jobs).toHaveLength(1);
  await lane.run(jobs);
  return names;
}
