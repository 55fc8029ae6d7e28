// Proves 3.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordFigure } from '../proof/record-figure.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type InProcessPipeline, startInProcessPipeline } from './in-process-pipeline.ts';
import { judgeTrace } from './intake-trace.ts';
import { traceOperations } from './traced-operations.ts';
import { canTraceSystemCalls, traceSystemCalls } from './traced-system-calls.ts';

/**
 * docs/contract/reliability.md test 3: behind each 202 stand, in this order, the synced object, its synced directories,
 * the commit, and then the answer. By the program's own calls everywhere; where the machine lets us, by those of the
 * system too.
 */

const REQUESTS = 500;
const IN_ORDER = Array.from({ length: REQUESTS }, () => null);
const CAN_TRACE = canTraceSystemCalls();

describe(`object sync, directory sync, commit, answer (form: ${CAN_TRACE ? 'system call trace' : 'recorded operations'})`, () => {
  let pipeline: InProcessPipeline;
  let culprit: TestCulprit;
  beforeAll(async () => {
    pipeline = await startInProcessPipeline();
    culprit = await startCulprit({ hasWorker: false });
  });
  afterAll(async () => {
    await pipeline.stop();
    await culprit.stop();
  });

  it(`come in this order ${REQUESTS} of ${REQUESTS} times, as the program does them`, async () => {
    expect(judgeTrace(await traceOperations(pipeline, REQUESTS))).toEqual(IN_ORDER);
    recordFigure(3, `${REQUESTS} of ${REQUESTS} by recorded operations`);
  });

  it.runIf(CAN_TRACE)(
    `come in this order ${REQUESTS} of ${REQUESTS} times, as the system sees them`,
    {
      timeout: 120_000,
    },
    async () => {
      expect(judgeTrace(await traceSystemCalls(culprit, REQUESTS))).toEqual(IN_ORDER);
      recordFigure(3, `${REQUESTS} of ${REQUESTS} by system calls`);
    },
  );
});
