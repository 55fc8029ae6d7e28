import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator, setPlan } from '../support/collaborators.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { clientOf } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { pageOf } from '../support/read-pages.ts';
import { EX } from './incidents-fixtures.ts';

/** docs/contract/account.md 1.7: while the owner's plan is below Team, other people's access is paused. */
describe('access to a project whose owner lost the Team plan', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let owner: ManagementClient;
  let admin: ManagementClient;
  let member: ManagementClient;
  let incidentId: string;
  let tokenId: string;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED });
    project = await culprit.createProject({ plan: 'team' });
    owner = managementClient(culprit, project.memberToken);
    admin = managementClient(culprit, (await createCollaborator(culprit, project, 'admin')).memberToken);
    member = managementClient(culprit, (await createCollaborator(culprit, project, 'member')).memberToken);
    const client = clientOf(culprit, project);
    await client.send(EX());
    incidentId = (await client.only()).incident_id;
    await client.bundle(incidentId);
    tokenId = (await owner.createProjectToken(project.projectId)).token_id;
  });
  afterAll(() => culprit.stop());
  afterEach(() => setPlan(culprit, project, 'team'));

  function readings(): string[] {
    const { projectId } = project;
    return [
      `/v1/projects/${projectId}`,
      `/v1/projects/${projectId}/tokens`,
      `/v1/incidents?project_id=${projectId}`,
      `/v1/services?project_id=${projectId}`,
      `/v1/incidents/${incidentId}`,
      `/v1/incidents/${incidentId}/bundle`,
      `/v1/incidents/${incidentId}/reproduction`,
      `/v1/incidents/${incidentId}/logs`,
      `/v1/logs?incident_id=${incidentId}`,
    ];
  }

  function writings(): [path: string, body?: unknown][] {
    return [
      [`/v1/projects/${project.projectId}/tokens`, { label: 'x' }],
      [`/v1/projects/${project.projectId}/tokens/${tokenId}/revoke`],
      [`/v1/incidents/${incidentId}/resolve`],
      [`/v1/incidents/${incidentId}/reopen`],
      ['/v1/incidents/resolve', { incident_ids: [incidentId] }],
      ['/v1/incidents/reopen', { incident_ids: [incidentId] }],
    ];
  }

  const PAUSED = [403, { error: 'shared_access_suspended' }];

  it.each(['free', 'solo'] as const)('is paused on %s for everybody but the owner', async (plan) => {
    await setPlan(culprit, project, plan);
    for (const person of [admin, member]) {
      for (const path of readings()) {
        const { status, body } = await person.get(path);
        expect([path, status, body]).toEqual([path, ...PAUSED]);
      }
      for (const [path, body] of writings()) {
        const answer = await person.post(path, body);
        expect([path, answer.status, answer.body]).toEqual([path, ...PAUSED]);
      }
    }
    const changed = await admin.patch(`/v1/projects/${project.projectId}`, { name: 'x' });
    expect([changed.status, changed.body]).toEqual(PAUSED);
    for (const path of readings()) expect([path, (await owner.get(path)).status]).toEqual([path, 200]);
    expect(
      (await owner.listProjectTokens(project.projectId)).every(({ revoked_at }) => revoked_at === null),
    ).toBe(true);
  });

  it('the role is judged before the plan, and visibility before both', async () => {
    await setPlan(culprit, project, 'solo');
    const path = `/v1/projects/${project.projectId}`;
    for (const answer of [await member.delete(path), await admin.delete(path)]) {
      expect([answer.status, answer.body]).toEqual([403, { error: 'forbidden' }]);
    }
    const stranger = managementClient(culprit, (await culprit.createProject()).memberToken);
    expect((await stranger.get(path)).status).toBe(404);
    const bulk = { incident_ids: [incidentId, 'inc_00000000-0000-4000-8000-000000000000'] };
    expect((await member.post('/v1/incidents/resolve', bulk)).body).toEqual({ error: 'incident_not_found' });
  });

  it('lists without a project leave it out, and the list of projects keeps it with the flag', async () => {
    const own = await member.createProject({ name: 'own' });
    await setPlan(culprit, project, 'solo');
    expect(pageOf(await member.get('/v1/incidents'), 'incidents').items).toEqual([]);
    expect(pageOf(await member.get('/v1/services'), 'services').items).toEqual([]);
    expect(pageOf(await owner.get('/v1/incidents'), 'incidents').items).toHaveLength(1);
    expect(pageOf(await member.get('/v1/projects'), 'projects').items).toMatchObject([
      { project_id: own.project_id, shared_access_suspended: false, organization_plan: 'free' },
      { project_id: project.projectId, shared_access_suspended: true, organization_plan: 'solo' },
    ]);
    expect(pageOf(await owner.get('/v1/projects'), 'projects').items).toMatchObject([
      { project_id: project.projectId, shared_access_suspended: false },
    ]);
  });

  it('opens again with the plan, and is never paused where plan limits are off', async () => {
    await setPlan(culprit, project, 'solo');
    expect((await member.get(`/v1/incidents/${incidentId}`)).status).toBe(403);
    await setPlan(culprit, project, 'team');
    for (const path of readings()) expect([path, (await member.get(path)).status]).toEqual([path, 200]);
    const off = await startCulprit({ plans: { ...HOSTED, isEnforced: false }, hasWorker: false });
    try {
      const free = await off.createProject({ plan: 'free' });
      const guest = await createCollaborator(off, free, 'member');
      const answer = await managementClient(off, guest.memberToken).get(`/v1/projects/${free.projectId}`);
      expect(answer).toMatchObject({ status: 200, body: { project: { shared_access_suspended: false } } });
    } finally {
      await off.stop();
    }
  });
});
