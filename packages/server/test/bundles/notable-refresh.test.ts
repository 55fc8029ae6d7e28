import { afterAll, beforeAll, expect, it } from 'vitest';
import { thresholdsUpTo, thresholdsUpToSql } from '../../src/pipeline/bundles/queue/notable-refresh.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

const THRESHOLDS = [2, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const COUNTS = [0, 1, 5, 999_999_999, ...THRESHOLDS.flatMap((each) => [each - 1, each, each + 1])];

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

it('the thresholds of a count are the same in the program and in statements', async () => {
  const rows = await culprit.database.query<{ thresholds: number }>(
    {
      name: 'test-thresholds',
      text: `select ${thresholdsUpToSql('count')} as thresholds from unnest($1::bigint[]) with ordinality c (count, n)
        order by n`,
    },
    [COUNTS],
  );
  const found = rows.map(({ thresholds }) => thresholds);
  expect(found).toEqual(COUNTS.map(thresholdsUpTo));
  const listed = COUNTS.filter((count) => count < 1_000_002);
  expect(listed.map(thresholdsUpTo)).toEqual(
    listed.map((count) => THRESHOLDS.filter((each) => each <= count).length),
  );
});
