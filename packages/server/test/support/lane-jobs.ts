import { countRows } from './count-rows.ts';
import type { TestCulprit } from './culprit.ts';
import { eventually } from './eventually.ts';

/** Waits until a lane has no job at all. */
export async function laneIsEmpty(culprit: TestCulprit, lane: string, timeoutMs?: number): Promise<void> {
  await eventually(async () => {
    const jobs = await countRows(culprit, 'jobs where lane = $1', [lane]);
    if (jobs > 0) throw new Error(`${jobs} jobs of the lane ${lane} are left`);
  }, timeoutMs);
}
