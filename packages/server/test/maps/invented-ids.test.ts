import { afterAll, beforeAll, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { expectNoHarmOf } from './invented-ids.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

it('200 events with invented debug ids fill what waits to its bound, and one late map is used', async () => {
  await expectNoHarmOf(culprit, 200, 60_000);
});
