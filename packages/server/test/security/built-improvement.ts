import { createClient } from '@culprit/contract/endpoints/client';
import { getImprovementBundle, listImprovements } from '@culprit/contract/incidents/improvements';
import { LOG } from '../conformance/incidents-fixtures.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf } from '../support/incident-client.ts';

/** As many as open an improvement (docs/contract/incidents.md 6.2). */
const ANNOUNCEMENTS = 10;

/** Logs a deprecation of a service of that name until it is an improvement with a bundle; returns the id. */
export async function buildImprovement(
  culprit: TestCulprit,
  project: TestProject,
  name: string,
): Promise<string> {
  const service = `${name}-old-service`;
  const announcement = LOG('warning', `${name} is deprecated`, {
    service: { name: service, environment: 'production' },
  });
  await clientOf(culprit, project).send(...Array.from({ length: ANNOUNCEMENTS }, () => announcement));
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  return await eventually(async () => {
    const found = await api.call(listImprovements, { query: { project_id: project.projectId, service } });
    const id = found.ok ? found.body.improvements[0]?.improvement_id : undefined;
    if (id === undefined) throw new Error('no improvement');
    const params = { id: project.projectId, improvementId: id };
    const bundle = await api.call(getImprovementBundle, { params });
    if (!bundle.ok || 'status' in bundle.body) throw new Error('no bundle');
    return id;
  });
}
