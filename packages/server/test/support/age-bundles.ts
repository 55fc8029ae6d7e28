import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from './culprit.ts';
import type { IncidentClient } from './incident-client.ts';

/** Makes the documents of a project an hour older, unless given otherwise: the intervals after them are over. */
export async function ageBundles(culprit: TestCulprit, client: IncidentClient, hours = 1): Promise<void> {
  await culprit.database.query(
    {
      name: 'test-age-bundles',
      text: `update bundles set generated_at = generated_at - make_interval(hours => $2) where project_id = $1`,
    },
    [parseId(['proj'], client.project.projectId), hours],
  );
}
