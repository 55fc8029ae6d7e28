import { EXR } from '../conformance/incidents-fixtures.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf } from '../support/incident-client.ts';

/** An incident that went the whole way: bundle, reproduction and suggested rules are there. */
export interface BuiltIncident {
  incidentId: string;
  eventId: string;
}

/** Sends a failed request of a service of that name and waits for its incident and bundle. */
export async function buildIncident(
  culprit: TestCulprit,
  project: TestProject,
  name: string,
): Promise<BuiltIncident> {
  const client = clientOf(culprit, project);
  const eventId = `evt_${crypto.randomUUID()}`;
  const service = `${name}-service`;
  await client.send(
    EXR({
      event_id: eventId,
      service: { name: service, environment: 'production' },
      payload: { message: `${name} failed` },
    }),
  );
  const incidentId = await eventually(async () => {
    const [incident] = await client.list({ project_id: project.projectId, service });
    if (incident === undefined) throw new Error('no incident');
    return incident.incident_id;
  });
  await client.bundle(incidentId);
  return { incidentId, eventId };
}
