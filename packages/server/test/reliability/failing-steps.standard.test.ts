// Proves 2, 11.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordFigure } from '../proof/record-figure.ts';
import { IS_LONG_LANE, runSize } from '../support/run-size.ts';
import { KEPT } from './event-ledger.ts';
import { type FaultPath, runFaultCase } from './fault-case.ts';
import { type FaultMode, planFault, planNoFault, type StepPlace } from './fault-plan.ts';
import { type InProcessPipeline, startInProcessPipeline } from './in-process-pipeline.ts';

/**
 * docs/contract/reliability.md test 2: every step between request and bundle, each operation on files or database, goes
 * wrong in turn. Each run must lose nothing, count nothing twice and come to an end. The standard lane strikes each step in
 * one way, the next step in the next one; the long lane strikes each in all ways.
 */

const PATHS: readonly FaultPath[] = ['intake', 'worker'];
const MODES: readonly (readonly [FaultMode, string])[] = [
  ['fails', 'fails without effect'],
  ['fails-late', 'is reported as failed after it happened'],
  ['outage', 'fails together with those after it'],
  ['throws', 'throws like a bug'],
  ['dies', 'ends the process'],
  ['dies-late', 'ends the process after it happened'],
];
/** A step that many requests or incidents go through is struck this many times. */
const OCCURRENCES_MAX: Record<FaultPath, number> = {
  intake: runSize('CULPRIT_TEST_OCCURRENCES', { standard: 2, long: 10 }),
  worker: runSize('CULPRIT_TEST_OCCURRENCES', { standard: 1, long: 5 }),
};
const UNREACHABLE_MODES: readonly FaultMode[] = ['fails', 'fails-late', 'outage'];

describe.concurrent.each(PATHS)('every step of the %s path in turn', (path) => {
  describe.concurrent.each(MODES.map((mode, turn) => [...mode, turn] as const))('%s', (mode, words, turn) => {
    let pipeline: InProcessPipeline;
    beforeAll(async () => {
      pipeline = await startInProcessPipeline();
    });
    afterAll(() => pipeline.stop());

    it(`${words}, and nothing is lost, counted twice or stuck`, { timeout: 300_000 }, async () => {
      // A 503 for a step without effect means that nothing was stored, so nothing of it may count.
      const isStrict = path === 'intake' && mode === 'fails';
      // An unreachable store or database is no attempt: whoever counts one waits for an hour and is stuck.
      const waits = UNREACHABLE_MODES.includes(mode) ? { retryDelaysMs: [3_600_000] } : {};
      let hasStruck = false;
      const places = (await placesOf(pipeline, path)).filter(
        (_, index) => IS_LONG_LANE || index % MODES.length === turn,
      );
      for (const place of places) {
        const plan = planFault(place, mode);
        const outcome = await runFaultCase(pipeline, { path, plan, isStrict, ...waits });
        expect({ place, ...outcome }).toMatchObject({ verdict: KEPT, stuck: {}, deadLetters: 0 });
        hasStruck ||= plan.hasStruck();
      }
      expect(hasStruck).toBe(true);
      recordFigure(2, `${path} ${mode}: ${places.length} steps`);
    });
  });
});

/** The steps of a run in which nothing goes wrong. */
async function placesOf(pipeline: InProcessPipeline, path: FaultPath): Promise<StepPlace[]> {
  const plan = planNoFault();
  await runFaultCase(pipeline, { path, plan });
  return [...plan.reached()].flatMap(([name, times]) =>
    Array.from({ length: Math.min(times, OCCURRENCES_MAX[path]) }, (_, index) => ({
      name,
      occurrence: index + 1,
    })),
  );
}
