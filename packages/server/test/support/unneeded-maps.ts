import { expect } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { cleanProject } from '../../src/upkeep/retention/clean-project.ts';
import { countRows } from './count-rows.ts';
import { SELF_HOSTED, type TestCulprit } from './culprit.ts';
import { eventually } from './eventually.ts';
import { claimCleaning, cleaningOptions } from './retention.ts';

/** Cleans a project of one map as if no event had needed it for longer than incidents are kept. */
export async function removeUnneededMaps(culprit: TestCulprit, projectId: string): Promise<void> {
  const id = parseId(['proj'], projectId);
  await culprit.database.query(
    {
      name: 'test-unneeded-maps',
      text: `with due as (update projects set retention_due_at = culprit_now() - interval '1 s' where project_id = $1)
        update source_maps set last_needed_at = culprit_now() - interval '400 days' where project_id = $1`,
    },
    [id],
  );
  const options = await cleaningOptions(culprit, SELF_HOSTED);
  for (let job = await claimCleaning(culprit); job !== undefined; job = await claimCleaning(culprit)) {
    await cleanProject(job, options);
  }
  // The worker may have taken it.
  await eventually(async () => {
    const removed = 'source_maps where project_id = $1 and removed_at is not null';
    expect(await countRows(culprit, removed, [id])).toBe(1);
  });
}
