import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from './culprit.ts';
import type { IncidentClient } from './incident-client.ts';

/**
 * Makes the bundles of a project's incidents anew from their evidence, each as its first generation, and returns the
 * documents as they are sent, in the order of the incidents.
 */
export async function rebuildBundles(culprit: TestCulprit, client: IncidentClient): Promise<string[]> {
  const projectId = parseId(['proj'], client.project.projectId) ?? '';
  await client.refreshed();
  await culprit.database.query(
    {
      name: 'test-forget-bundles',
      text: `update bundles set status = 'pending', generation = 0, object_key = null, content_sha256 = null
        where project_id = $1`,
    },
    [projectId],
  );
  const incidents = await culprit.database.query<{ incident_id: string }>(
    {
      name: 'test-ask-bundles',
      text: `insert into jobs (lane, kind, fairness_key, key, payload)
        select 'bundles', 'bundles.build', project_id, incident_id::text, '{}' from bundles where project_id = $1
        returning key as incident_id`,
    },
    [projectId],
  );
  await client.refreshed();
  const headers = { authorization: `Bearer ${client.project.memberToken}` };
  const read = async (id: string) =>
    await (await fetch(`${culprit.url}/v1/incidents/inc_${id}/bundle`, { headers })).text();
  return await Promise.all(
    incidents
      .map(({ incident_id }) => incident_id)
      .sort()
      .map(read),
  );
}
