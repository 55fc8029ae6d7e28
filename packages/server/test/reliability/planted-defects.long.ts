// Proves 2, 3, 4.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Parameter, Statement, Transaction } from '../../src/platform/db/database.ts';
import { parseId } from '../../src/platform/ids.ts';
import { startCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { ALL_STORED, createCheckInLedger, readStoredCheckIns } from './check-in-ledger.ts';
import { startCheckInLoad } from './check-in-load.ts';
import { createEventLedger, KEPT, readCountedEvents } from './event-ledger.ts';
import { startEventLoad } from './event-load.ts';
import { runFaultCase } from './fault-case.ts';
import { planFault, planNoFault } from './fault-plan.ts';
import { type InProcessPipeline, type PlantedDefect, startInProcessPipeline } from './in-process-pipeline.ts';
import { judgeTrace } from './intake-trace.ts';
import { createRealService } from './real-service.ts';
import { withoutDirectorySync } from './recorded-operations.ts';
import { settleWork } from './settle-work.ts';
import { traceOperations } from './traced-operations.ts';
import { canTraceSystemCalls, traceSystemCalls } from './traced-system-calls.ts';

/** The harness of the durability tests sees the defects it is there for (docs/contract/reliability.md part B). */

/** The job is committed while its object is still being written. */
function jobBeforeObject(): PlantedDefect {
  const writing: Promise<void>[] = [];
  return {
    objects: (sound) => ({
      ...sound,
      append: null,
      async put(key, bytes) {
        writing.push(sound.put(key, bytes).catch(() => {}));
      },
    }),
    settled: () => Promise.all(writing),
  };
}

/** The answer goes out while the commit is still under way. */
function answerBeforeCommit(): PlantedDefect {
  const committing: Promise<unknown>[] = [];
  return {
    database: (sound) => ({
      ...sound,
      async query<Row extends object>(statement: Statement, parameters: readonly Parameter[] = []) {
        const answer = sound.query<Row>(statement, parameters);
        if (statement.name !== 'ingest-commit') return await answer;
        committing.push(answer.catch(() => {}));
        // The counters name the projects, which is what the statement answers.
        return JSON.parse(String(parameters[1])) as Row[];
      },
    }),
    settled: () => Promise.all(committing),
  };
}

/** Processing does not look whether it happened before. */
const NO_MARKER: PlantedDefect = {
  database: (sound): Database => ({
    ...sound,
    transaction: (work) => sound.transaction((transaction) => work(withoutMarker(transaction))),
  }),
};

function withoutMarker(transaction: Transaction): Transaction {
  return {
    send: (statement, parameters) => transaction.send(statement, parameters),
    async query<Row extends object>(statement: Statement, parameters: readonly Parameter[] = []) {
      const rows = await transaction.query<Row>(statement, parameters);
      if (statement.name !== 'batches-mark') return rows;
      const [batchIds] = parameters;
      return (Array.isArray(batchIds) ? batchIds : []).map((batch_id) => ({ batch_id }) as unknown as Row);
    },
  };
}

/** Defects leave things stuck. */
const PATIENCE_MS = 3000;

describe('the sweep over failing steps', () => {
  let pipeline: InProcessPipeline;
  beforeAll(async () => {
    pipeline = await startInProcessPipeline();
  });
  afterAll(() => pipeline.stop());

  const onIntake = (name: string, plant?: PlantedDefect) => {
    const plan = planFault({ name, occurrence: 1 }, 'fails');
    return runFaultCase(pipeline, {
      path: 'intake',
      plan,
      patienceMs: PATIENCE_MS,
      ...(plant === undefined ? {} : { plant }),
    });
  };

  it.each(['file write', 'file fsync', 'file rename'])(
    'sees a job that is queued before its object is stored, when "%s" fails',
    async (step) => {
      expect((await onIntake(step)).verdict).toEqual(KEPT);
      const { verdict, deadLetters } = await onIntake(step, jobBeforeObject());
      expect(verdict.lost.length).toBeGreaterThan(0);
      expect(deadLetters).toBe(verdict.lost.length);
    },
  );

  it('sees an answer that goes out before the commit', async () => {
    expect((await onIntake('query ingest-commit')).verdict).toEqual(KEPT);
    const { verdict } = await onIntake('query ingest-commit', answerBeforeCommit());
    expect(verdict.lost.length).toBeGreaterThan(0);
  });

  it('sees a missing marker when batches are delivered twice', async () => {
    const delivered = (plant: PlantedDefect) =>
      runFaultCase(pipeline, {
        path: 'worker',
        plan: planNoFault(),
        deliveries: 2,
        patienceMs: PATIENCE_MS,
        plant,
      });
    expect(await delivered({})).toMatchObject({ verdict: KEPT, stuck: {} });
    const { verdict } = await delivered(NO_MARKER);
    expect(verdict.twice.length).toBeGreaterThan(0);
  });
});

describe('the order of operations', () => {
  const requests = 20;
  const never = Array.from({ length: requests }, () => 'directory not synced');

  it('shows directories that are never synced, as the program does it', async () => {
    const pipeline = await startInProcessPipeline();
    try {
      expect(judgeTrace(await traceOperations(pipeline, requests, withoutDirectorySync))).toEqual(never);
    } finally {
      await pipeline.stop();
    }
  });

  it.runIf(canTraceSystemCalls())(
    'shows directories that are never synced, as the system sees it',
    async () => {
      const culprit = await startCulprit({ hasWorker: false });
      try {
        const preload = [fileURLToPath(new URL('no-directory-sync.ts', import.meta.url))];
        expect(judgeTrace(await traceSystemCalls(culprit, requests, preload))).toEqual(never);
      } finally {
        await culprit.stop();
      }
    },
  );
});

describe('the random kills', () => {
  it('see an answer that goes out before the commit', { timeout: 120_000 }, async () => {
    const service = await createRealService([
      fileURLToPath(new URL('answer-before-commit.ts', import.meta.url)),
    ]);
    try {
      await service.start();
      const { projectId, projectToken: token } = await service.bootstrap('shop');
      const ledger = createEventLedger();
      const load = startEventLoad({ url: service.url, token, clients: 2, random: seededRandom(1), ledger });
      for (let kill = 0; kill < 2; kill += 1) {
        const before = ledger.count('accepted');
        await eventually(() => {
          expect(ledger.count('accepted')).toBeGreaterThan(before + 20);
          expect(service.kill('api')).toBe(true);
        });
      }
      await load.finish();
      const ids = [parseId(['proj'], projectId) ?? ''];
      const database = await settleWork(service, ids);
      try {
        const { lost, ...others } = ledger.judge(await readCountedEvents(database, ids));
        expect({ lost: [], ...others }).toEqual(KEPT);
        expect(lost.length).toBeGreaterThan(0);
      } finally {
        await database.close();
      }
    } finally {
      await service.remove();
    }
  });

  it('see a check-in that is answered before it is stored', { timeout: 120_000 }, async () => {
    const service = await createRealService([
      fileURLToPath(new URL('unstored-check-in.ts', import.meta.url)),
    ]);
    try {
      await service.start();
      const jobs = await service.bootstrap('jobs');
      const ledger = createCheckInLedger();
      const target = { url: service.url, ...jobs };
      const scheduler = await startCheckInLoad({ target, random: seededRandom(1), ledger });
      for (let kill = 0; kill < 3; kill += 1) {
        const before = ledger.count('accepted');
        await eventually(() => {
          expect(ledger.count('accepted')).toBeGreaterThan(before + 10);
          expect(service.kill('api')).toBe(true);
        });
      }
      await scheduler.finish(0);
      const projectId = parseId(['proj'], jobs.projectId) ?? '';
      const database = await settleWork(service, [projectId]);
      try {
        const { lost, ...others } = ledger.judge(await readStoredCheckIns(database, projectId));
        expect({ lost: [], ...others }).toEqual(ALL_STORED);
        expect(lost.length).toBeGreaterThan(0);
      } finally {
        await database.close();
      }
    } finally {
      await service.remove();
    }
  });
});
