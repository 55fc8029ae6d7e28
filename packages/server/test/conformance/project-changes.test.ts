import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientOf } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { pageOf } from '../support/read-pages.ts';
import { sendEvents } from '../support/send-events.ts';
import { EX } from './incidents-fixtures.ts';

/** docs/contract/incidents.md 7.3: what PATCH and DELETE do. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());
afterEach(() => moveClock(culprit.database, 0));

async function newOwner(): Promise<{ project: TestProject; owner: ManagementClient }> {
  const project = await culprit.createProject();
  return { project, owner: managementClient(culprit, project.memberToken) };
}

async function collaborator(project: TestProject, role: 'admin' | 'member'): Promise<ManagementClient> {
  return managementClient(culprit, (await createCollaborator(culprit, project, role)).memberToken);
}

describe('changing a project', () => {
  //
  it('every member of it may, a stranger may not', async () => {
    const { project } = await newOwner();
    const path = `/v1/projects/${project.projectId}`;
    const admin = await collaborator(project, 'admin');
    const member = await collaborator(project, 'member');
    const { owner: stranger } = await newOwner();
    expectProblem(await admin.patch(path, {}), 400, 'invalid_payload');
    expectProblem(await member.patch(path, {}), 400, 'invalid_payload');
    const changed = await admin.patch(path, { name: 'x' });
    expect(changed).toMatchObject({ status: 200, body: { project: { name: 'x', effective_role: 'admin' } } });
    const byMember = await member.patch(path, { name: 'y' });
    expect(byMember).toMatchObject({
      status: 200,
      body: { project: { name: 'y', effective_role: 'member' } },
    });
    expectProblem(await stranger.patch(path, { name: 'z' }), 404, 'project_not_found');
    expect(await admin.readProject(project.projectId)).toMatchObject({ name: 'y' });
  });

  it('every field can be changed alone and together, and keeps what is not named', async () => {
    const { project, owner } = await newOwner();
    const path = `/v1/projects/${project.projectId}`;
    const before = await owner.readProject(project.projectId);
    await moveClock(culprit.database, 5000);
    await owner.patch(path, { color_tag: 'red' });
    expect(await owner.readProject(project.projectId)).toEqual(before);
    await owner.patch(path, { environment_default: ' eu ' });
    await owner.patch(path, { slug: 'new-slug' });
    const after = await owner.readProject(project.projectId);
    expect(after).toEqual({
      ...before,
      environment_default: 'eu',
      slug: 'new-slug',
      updated_at: expect.any(String),
    });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect((await owner.patch(path, { slug: 'new-slug', name: ' Z ' })).body).toMatchObject({
      project: { slug: 'new-slug', name: 'Z' },
    });
  });

  it('a slug of a sibling is taken, a slug of another organization is not', async () => {
    const { project, owner } = await newOwner();
    const sibling = await owner.createProject({ slug: 'sibling' });
    const path = `/v1/projects/${project.projectId}`;
    expectProblem(await owner.patch(path, { slug: 'sibling', name: 'y' }), 409, 'project_slug_taken');
    expect(await owner.readProject(project.projectId)).toMatchObject({ name: project.name });
    const { project: foreign, owner: other } = await newOwner();
    expect((await other.patch(`/v1/projects/${foreign.projectId}`, { slug: 'sibling' })).status).toBe(200);
    await owner.delete(`/v1/projects/${sibling.project_id}`);
    expect((await owner.patch(path, { slug: 'sibling' })).status).toBe(200);
  });

  it('of projects that ask for one slug at once, changed and new ones, a single one gets it', async () => {
    const { project, owner } = await newOwner();
    const others = await Promise.all([owner.createProject(), owner.createProject(), owner.createProject()]);
    const ids = [project.projectId, ...others.map(({ project_id }) => project_id)];
    const answers = await Promise.all([
      ...ids.map((id) => owner.patch(`/v1/projects/${id}`, { slug: 'wanted' })),
      ...ids.map((id) => owner.post('/v1/projects', { name: id, slug: 'wanted' })),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status < 400)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status >= 400)) {
      expectProblem(answer, 409, 'project_slug_taken');
    }
  });

  it.each([
    { name: null },
    { name: '' },
    { slug: 'A' },
    { weekly_report_timezone: 'UTC' },
    { user_key: 'x' },
  ])('the body %j is refused', async (body) => {
    const { project, owner } = await newOwner();
    expectProblem(await owner.patch(`/v1/projects/${project.projectId}`, body), 400, 'invalid_payload');
  });

  it('incidents show the new name from then on', async () => {
    const { project, owner } = await newOwner();
    const client = clientOf(culprit, project);
    await client.send(EX());
    const { incident_id } = await client.only();
    await owner.patch(`/v1/projects/${project.projectId}`, { name: 'Renamed' });
    expect((await client.read(incident_id)).project_name).toBe('Renamed');
  });
});

describe('deleting a project', () => {
  //
  it('ends everything below it at once', async () => {
    const { project, owner } = await newOwner();
    const admin = await collaborator(project, 'admin');
    const client = clientOf(culprit, project);
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    const path = `/v1/projects/${project.projectId}`;
    const before = await owner.readProject(project.projectId);

    expectProblem(await admin.delete(path), 403, 'forbidden');
    expectProblem(await (await newOwner()).owner.delete(path), 404, 'project_not_found');
    expect((await owner.readProject(project.projectId)).metrics.open_incidents).toBe(1);

    const deleted = await owner.delete(path);
    const { metrics, ...record } = before;
    expect(metrics).toBeDefined();
    expect([deleted.status, deleted.body]).toEqual([200, { project: record }]);

    for (const person of [owner, admin]) {
      expectProblem(await person.get(path), 404, 'project_not_found');
      expectProblem(
        await person.get(`/v1/incidents?project_id=${project.projectId}`),
        404,
        'project_not_found',
      );
      expectProblem(
        await person.get(`/v1/services?project_id=${project.projectId}`),
        404,
        'project_not_found',
      );
      expectProblem(await person.get(`${path}/tokens`), 404, 'project_not_found');
      expectProblem(await person.post(`${path}/tokens`, { label: 'x' }), 404, 'project_not_found');
      expectProblem(await person.patch(path, { name: 'x' }), 404, 'project_not_found');
      expectProblem(await person.delete(path), 404, 'project_not_found');
      for (const rest of ['', '/bundle', '/reproduction', '/logs']) {
        expectProblem(await person.get(`/v1/incidents/${incident_id}${rest}`), 404, 'incident_not_found');
      }
      expectProblem(await person.post(`/v1/incidents/${incident_id}/resolve`), 404, 'incident_not_found');
      for (const [list, key] of [
        ['/v1/incidents', 'incidents'],
        ['/v1/services', 'services'],
        ['/v1/projects', 'projects'],
      ] as const) {
        expect(pageOf(await person.get(list), key).items).toEqual([]);
      }
    }
    expectProblem(await sendEvents(culprit.url, project.projectToken, [EX()]), 401, 'invalid_project_token');
  });

  it('of two deletions at once one finds nothing any more', async () => {
    const { project, owner } = await newOwner();
    const path = `/v1/projects/${project.projectId}`;
    const answers = await Promise.all([owner.delete(path), owner.delete(path), owner.delete(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(await countRows(culprit, `jobs where key = $1`, [project.projectId.replace('proj_', '')])).toBe(1);
  });

  it('frees the slug at once', async () => {
    const { owner } = await newOwner();
    const { project_id } = await owner.createProject({ slug: 'again' });
    await owner.delete(`/v1/projects/${project_id}`);
    expect((await owner.createProject({ slug: 'again' })).project_id).not.toBe(project_id);
  });

  it('drops its queued work and no other', async () => {
    const { project, owner } = await newOwner();
    const { project: other } = await newOwner();
    await culprit.stopWorker();
    try {
      await clientOf(culprit, project).send(EX());
      await clientOf(culprit, other).send(EX());
      await owner.delete(`/v1/projects/${project.projectId}`);
      const kinds = await culprit.database.query<{ kind: string; project_id: string }>({
        name: 'test-job-kinds',
        text: `select kind, 'proj_' || fairness_key as project_id from jobs where lane = 'events'`,
      });
      expect(kinds).toEqual([{ kind: expect.any(String), project_id: other.projectId }]);
    } finally {
      await culprit.startWorker();
    }
  });
});
