import { afterAll, beforeAll, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { expectNoHarmOf } from './invented-ids.ts';

/** All events of a test are read within this time on a busy machine. */
const PROCESSED_MS = 1_200_000;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
}, 120_000);
afterAll(() => culprit.stop());

it('100,000 events with invented debug ids fill what waits to its bound, and one late map is used', async () => {
  await expectNoHarmOf(culprit, 100_000, PROCESSED_MS);
}, 2_400_000);
