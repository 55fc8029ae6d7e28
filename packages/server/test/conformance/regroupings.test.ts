import { createClient } from '@culprit/contract/endpoints/client';
import { previewGrouping } from '@culprit/contract/incidents/grouping-preview';
import { getIncidentHistory } from '@culprit/contract/incidents/incident-history';
import { applyRegrouping, listRegroupings, undoRegrouping } from '@culprit/contract/incidents/regroupings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/grouping.md 8: other stack rules for the incidents that are there, and back. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

const RULES = ['*/shared/* ignore'];

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

function apiOf(project: TestProject, token = project.memberToken) {
  const api = createClient({ baseUrl: culprit.url, token });
  const params = { id: project.projectId };
  return {
    apply: (stack_rules: string[]) => api.call(applyRegrouping, { params, body: { stack_rules, hours: 1 } }),
    undo: (regrouping_id: string) => api.call(undoRegrouping, { params, body: { regrouping_id } }),
    list: () => api.call(listRegroupings, { params }),
    preview: (body: { stack_rules?: string[] }) =>
      api.call(previewGrouping, { params, body: { ...body, hours: 1 } }),
    history: (id: string) => api.call(getIncidentHistory, { params: { id }, query: {} }),
  };
}

async function applied(client: IncidentClient, rules: string[]) {
  const answer = await apiOf(client.project).apply(rules);
  if (!answer.ok) throw new Error(answer.error);
  return answer.body.regrouping;
}

async function rulesOf(client: IncidentClient): Promise<unknown> {
  const { projectId, memberToken } = client.project;
  const { body } = await managementClient(culprit, memberToken).get(`/v1/projects/${projectId}`);
  return body;
}

function statusesOf(incidents: readonly { status: string }[]): string[] {
  return incidents.map(({ status }) => status).sort();
}

describe('a regrouping', () => {
  it('makes one of what the rules make one, leads later events there, and is undone with exact counts', async () => {
    const client = await connect(culprit);
    const api = apiOf(client.project);
    await client.send(failure('pay', 'shared/http'));
    await client.counted(1);
    await client.send(failure('pay', 'shared/queue'), failure('pay', 'shared/queue'));
    const before = await client.counted(1, 2);
    await client.settled();

    const regrouping = await applied(client, RULES);
    expect(regrouping).toMatchObject({
      stack_rules_before: [],
      stack_rules: RULES,
      created_by_user_id: client.project.userId,
      merged_incidents: 1,
      led_keys: 1,
      split_incidents: 0,
      events_seen: 3,
      is_complete: true,
      undone_at: null,
    });
    expect(await rulesOf(client)).toMatchObject({ project: { stack_rules: RULES } });
    expect(statusesOf(await client.counted(1, 2))).toEqual(['open', 'resolved']);
    expect(await api.preview({})).toMatchObject({ body: { merge_count: 0, split_count: 0 } });

    await client.send(failure('pay', 'shared/stream'));
    await client.counted(2, 2);
    expect(await api.list()).toMatchObject({ body: { regroupings: [regrouping] } });

    expect(await api.undo(regrouping.regrouping_id)).toMatchObject({
      body: {
        regrouping: {
          ...regrouping,
          undone_at: expect.any(String),
          undone_by_user_id: client.project.userId,
        },
      },
    });
    expect(await rulesOf(client)).toMatchObject({ project: { stack_rules: [] } });
    expect(statusesOf(await client.counted(2, 2))).toEqual(['open', 'open']);
    await client.send(failure('pay', 'shared/http'), failure('pay', 'shared/queue'));
    await client.counted(3, 3);

    const kinds = await Promise.all(
      before.map(async ({ incident_id }) => {
        const answer = await api.history(incident_id);
        return answer.ok ? answer.body.history.map(({ kind }) => kind) : [];
      }),
    );
    for (const each of kinds) {
      expect(each.filter((kind) => kind === 'incident.merged' || kind === 'incident.split')).toEqual([
        'incident.merged',
        'incident.split',
      ]);
    }
    expect(await api.undo(regrouping.regrouping_id)).toMatchObject({ error: 'regrouping_not_found' });
  });

  it('lets an incident go on with what is most of it, and the rest opens one of its own', async () => {
    const client = await connect(culprit);
    const regrouping = await applied(client, RULES);
    await client.send(
      failure('pay', 'shared/http'),
      failure('pay', 'shared/queue'),
      failure('pay', 'shared/queue'),
    );
    await client.counted(3);
    const split = await applied(client, []);
    expect(split).toMatchObject({ merged_incidents: 0, led_keys: 1, split_incidents: 1 });
    await client.send(failure('pay', 'shared/queue'));
    await client.counted(4);
    await client.send(failure('pay', 'shared/http'));
    await client.counted(4, 1);

    const api = apiOf(client.project);
    expect(await api.undo(regrouping.regrouping_id)).toMatchObject({ error: 'grouping_changed' });
    expect(await api.undo(split.regrouping_id)).toMatchObject({ ok: true });
    await client.send(failure('pay', 'shared/http'));
    await client.counted(5, 1);
    expect(await api.undo(regrouping.regrouping_id)).toMatchObject({ ok: true });
    expect(await rulesOf(client)).toMatchObject({ project: { stack_rules: [] } });
  });

  it('keeps together what a person merged, and rules that somebody changed since', async () => {
    const client = await connect(culprit);
    await client.send(failure('pay', 'shared/http'));
    await client.counted(1);
    await client.send(failure('pay', 'shared/queue'));
    await client.counted(1, 1);
    await client.send(failure('ship', 'own'));
    const incidents = await client.counted(1, 1, 1);
    const regrouping = await applied(client, RULES);
    const ids = incidents.map(({ incident_id }) => incident_id);
    expect((await client.post('/v1/incidents/merge', { incident_ids: ids })).status).toBe(200);
    await managementClient(culprit, client.project.memberToken).patch(
      `/v1/projects/${client.project.projectId}`,
      { stack_rules: ['*/other/* foreign'] },
    );
    expect(await apiOf(client.project).undo(regrouping.regrouping_id)).toMatchObject({ ok: true });
    expect(statusesOf(await client.counted(1, 1, 1))).toEqual(['open', 'open', 'resolved']);
    expect(await rulesOf(client)).toMatchObject({ project: { stack_rules: ['*/other/* foreign'] } });
    await client.send(failure('ship', 'own'));
    await client.counted(1, 1, 2);
  });

  it('is for admins and owners, and shown to every member', async () => {
    const client = await connect(culprit);
    const { memberToken } = await createCollaborator(culprit, client.project, 'member');
    const api = apiOf(client.project, memberToken);
    expect(await api.apply([])).toMatchObject({ error: 'forbidden' });
    expect(await api.undo('00000000-0000-4000-8000-000000000000')).toMatchObject({ error: 'forbidden' });
    expect(await api.list()).toMatchObject({ body: { regroupings: [] } });
    const owner = apiOf(client.project);
    for (const id of ['none', '00000000-0000-4000-8000-000000000000']) {
      expect(await owner.undo(id)).toMatchObject({ error: 'regrouping_not_found' });
    }
  });
});
