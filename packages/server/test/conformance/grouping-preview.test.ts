import { createClient } from '@culprit/contract/endpoints/client';
import { previewGrouping } from '@culprit/contract/incidents/grouping-preview';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/grouping.md 7: what other stack rules would do. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

async function call(project: TestProject, memberToken: string, stackRules: string[]) {
  const api = createClient({ baseUrl: culprit.url, token: memberToken });
  const body = { stack_rules: stackRules, hours: 1 };
  return await api.call(previewGrouping, { params: { id: project.projectId }, body });
}

async function preview(project: TestProject, ...stackRules: string[]) {
  const answer = await call(project, project.memberToken, stackRules);
  if (!answer.ok) throw new Error(answer.error);
  return answer.body;
}

/** A failure in `caller`, which goes through `inner`. */
function failure(caller: string, inner: string): object {
  return {
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      name: 'Error',
      message: 'no answer',
      stack: `Error: no answer\n    at ask (/app/${inner}.js:1:1)\n    at ${caller} (/app/${caller}.js:1:1)`,
    },
  };
}

describe('the preview of other stack rules', () => {
  it('names what would become one, changes nothing, and is what then happens', async () => {
    const client = await connect(culprit);
    const { project } = client;
    await client.send(
      failure('pay', 'shared/http'),
      failure('pay', 'shared/queue'),
      failure('pay', 'shared/queue'),
    );
    const before = await client.counted(1, 2);
    const answer = await preview(project, '*/shared/* ignore');
    expect(answer).toMatchObject({
      events_seen: 3,
      incidents_seen: 2,
      merge_count: 1,
      merges: [{ events: 3, incidents: [{ events: 2 }, { events: 1 }] }],
      split_count: 0,
      splits: [],
      is_complete: true,
    });
    const named = answer.merges.flatMap(({ incidents }) => incidents.map(({ incident_id }) => incident_id));
    expect(named.sort()).toEqual(before.map(({ incident_id }) => incident_id).sort());
    expect(answer.merges[0]?.samples).toEqual(['Error: no answer', 'Error: no answer']);
    expect(await client.counted(1, 2)).toEqual(before);
    expect(await preview(project)).toMatchObject({ events_seen: 3, merge_count: 0, split_count: 0 });
  });

  it('names what would come apart', async () => {
    const client = await connect(culprit);
    const { project } = client;
    const rules = ['*/shared/* ignore'];
    await managementClient(culprit, project.memberToken).patch(`/v1/projects/${project.projectId}`, {
      stack_rules: rules,
    });
    await client.send(failure('pay', 'shared/http'), failure('pay', 'shared/queue'));
    const incident = await client.only(2);
    expect(await preview(project)).toMatchObject({
      merge_count: 0,
      split_count: 1,
      splits: [
        { incident: { incident_id: incident.incident_id, title: incident.title, events: 2 }, groups: 2 },
      ],
    });
    expect(await preview(project, ...rules)).toMatchObject({ merge_count: 0, split_count: 0 });
  });

  it('is for admins and owners', async () => {
    const client = await connect(culprit);
    const { memberToken } = await createCollaborator(culprit, client.project, 'member');
    expect(await call(client.project, memberToken, [])).toMatchObject({ ok: false, error: 'forbidden' });
  });
});
