import type { View } from '@culprit/contract/search/views';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { tablesWith } from '../support/tables-with.ts';
import { EX } from './incidents-fixtures.ts';

/** Saved views (docs/contract/team-workflow.md 1.4). */
describe.concurrent('views of the list of incidents', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const ask = async (token: string, method: string, path: string, body?: object): Promise<Answer> =>
    await sendRequest(culprit.url + path, {
      method,
      token,
      json: body,
    });
  const viewIn = ({ body }: Answer) => (body as { view: View }).view;

  async function save(token: string, body: object): Promise<View> {
    const answer = await ask(token, 'POST', '/v1/views', body);
    expect(answer.status).toBe(201);
    return viewIn(answer);
  }

  async function namesOf(token: string, query = ''): Promise<string[]> {
    const { status, body } = await ask(token, 'GET', `/v1/views${query}`);
    expect(status).toBe(200);
    return (body as { views: View[] }).views.map(({ name }) => name);
  }

  async function team(): Promise<{
    client: IncidentClient;
    owner: string;
    project_id: string;
    one: Collaborator;
    two: Collaborator;
  }> {
    const client = await connect(culprit, { plan: 'team' });
    return {
      client,
      owner: client.project.memberToken,
      project_id: client.project.projectId,
      one: await createCollaborator(culprit, client.project, 'member'),
      two: await createCollaborator(culprit, client.project, 'member'),
    };
  }

  it("are a person's own unless they are shared with the people of their project", async () => {
    const { owner, project_id, one, two } = await team();
    const own = await save(one.memberToken, { name: '  Mine  ', q: ' is:mine ', sort: 'priority' });
    expect(own).toEqual({
      view_id: own.view_id,
      project_id: null,
      name: 'Mine',
      q: 'is:mine',
      status: 'active',
      sort: 'priority',
      is_shared: false,
      created_by_user_id: one.userId,
      position: 0,
      created_at: expect.any(String),
      updated_at: own.created_at,
    });
    await save(one.memberToken, { name: 'Mine here', project_id, status: 'all' });
    await save(one.memberToken, { name: 'Ours', project_id, is_shared: true, position: 3 });
    const stranger = (await connect(culprit)).project.memberToken;
    expect(await namesOf(one.memberToken)).toEqual(['Mine', 'Mine here', 'Ours']);
    for (const token of [owner, two.memberToken]) {
      expect(await namesOf(token)).toEqual(['Ours']);
      expect(await namesOf(token, `?project_id=${project_id}`)).toEqual(['Ours']);
    }
    expect(await namesOf(stranger)).toEqual([]);
    const foreign = await ask(stranger, 'GET', `/v1/views?project_id=${project_id}`);
    expectProblem(foreign, 404, 'project_not_found');
    const written = await ask(stranger, 'POST', '/v1/views', { name: 'x', project_id, is_shared: true });
    expectProblem(written, 404, 'project_not_found');
  });

  it('are changed by their maker, and shared ones by admins too', async () => {
    const { owner, project_id, one, two } = await team();
    const own = await save(one.memberToken, { name: 'Own', project_id });
    const shared = await save(one.memberToken, { name: 'Shared', project_id, is_shared: true });
    const change = async (token: string, { view_id }: View, body: object) =>
      await ask(token, 'PATCH', `/v1/views/${view_id}`, body);
    for (const token of [owner, two.memberToken]) {
      expectProblem(await change(token, own, { name: 'y' }), 404, 'view_not_found');
    }
    expectProblem(await change(two.memberToken, shared, { name: 'y' }), 403, 'forbidden');
    expectProblem(await ask(two.memberToken, 'DELETE', `/v1/views/${shared.view_id}`), 403, 'forbidden');
    expect(viewIn(await change(owner, shared, { q: 'is:new', position: 7 }))).toMatchObject({
      name: 'Shared',
      q: 'is:new',
      position: 7,
      is_shared: true,
    });
    // What an admin shares no longer is its maker's own.
    expect(viewIn(await change(owner, shared, { is_shared: false })).is_shared).toBe(false);
    expect(await namesOf(owner)).toEqual([]);
    expect(await namesOf(one.memberToken)).toEqual(['Own', 'Shared']);
    expect((await ask(one.memberToken, 'DELETE', `/v1/views/${own.view_id}`)).status).toBe(200);
    expectProblem(await ask(one.memberToken, 'DELETE', `/v1/views/${own.view_id}`), 404, 'view_not_found');
  });

  it('refuse what no list takes, and sharing without a project', async () => {
    const { owner, project_id } = await team();
    for (const body of [
      { name: ' ' },
      { name: 'x'.repeat(61) },
      { name: 'x', q: 'severity:urgent' },
      { name: 'x', q: 'y'.repeat(501) },
      { name: 'x', status: 'closed' },
      { name: 'x', sort: 'age' },
      { name: 'x', is_shared: true },
      { name: 'x', unknown: 1 },
      { project_id },
    ]) {
      expectProblem(await ask(owner, 'POST', '/v1/views', body), 400, 'invalid_payload');
    }
    const view = await save(owner, { name: 'x' });
    for (const body of [{}, { is_shared: true }, { q: 'is:foo' }, { project_id }]) {
      expectProblem(await ask(owner, 'PATCH', `/v1/views/${view.view_id}`, body), 400, 'invalid_payload');
    }
    expectProblem(await ask(owner, 'PATCH', '/v1/views/a%20b', { name: 'y' }), 400, 'invalid_view_id');
  });

  it('keep the hash of a user, whose id is stored nowhere', async () => {
    const { client, owner, project_id } = await team();
    await client.send(EX({ context: { user: { id: 'ada.7731, sales' } } }));
    await client.only();
    await client.settled();
    const q = 'is:open  -user:nope.7731 user:"ada.7731, sales",bob.7731 reading';
    const { view_id, q: stored } = await save(owner, { name: 'Of Ada', project_id, q });
    expect(stored).toMatch(
      /^is:open {2}-user:usr_[0-9a-f]{32} user:usr_[0-9a-f]{32},usr_[0-9a-f]{32} reading$/,
    );
    expect(await client.list({ project_id, q: stored })).toHaveLength(1);
    const change = async (text: string) => await ask(owner, 'PATCH', `/v1/views/${view_id}`, { q: text });
    expect(viewIn(await change(stored)).q).toBe(stored);
    expect(viewIn(await change('user:bob.7731')).q).toMatch(/^user:usr_[0-9a-f]{32}$/);
    const everywhere = { name: 'Of all', q: 'user:bob.7731' };
    expectProblem(await ask(owner, 'POST', '/v1/views', everywhere), 400, 'invalid_payload');
    expect(await tablesWith(culprit, '.7731')).toEqual([]);
  });

  it('are at most 50 shared ones a project and 50 own ones a person, also when they are made at once', async () => {
    const { owner, project_id, one } = await team();
    const made = async (token: string, body: object) => {
      const add = async (n: number) => await ask(token, 'POST', '/v1/views', { name: `${n}`, ...body });
      const answers: Answer[] = [];
      for (let n = 0; n < 47; n += 1) answers.push(await add(n));
      // The last ones at once, of which three are refused.
      answers.push(...(await Promise.all(Array.from({ length: 6 }, async (_, n) => await add(n)))));
      const refused = answers.filter(({ status }) => status !== 201);
      for (const answer of refused) expectProblem(answer, 409, 'resource_limit_reached');
      return answers.length - refused.length;
    };
    expect(await made(owner, { project_id, is_shared: true })).toBe(50);
    expect(await made(one.memberToken, {})).toBe(50);
    const listed = await ask(owner, 'GET', `/v1/views?project_id=${project_id}`);
    const [shared] = (listed.body as { views: View[] }).views;
    const mine = await save(owner, { name: 'mine', project_id });
    expectProblem(
      await ask(owner, 'PATCH', `/v1/views/${mine.view_id}`, { is_shared: true }),
      409,
      'resource_limit_reached',
    );
    expect((await ask(owner, 'DELETE', `/v1/views/${shared?.view_id}`)).status).toBe(200);
    expect((await ask(owner, 'PATCH', `/v1/views/${mine.view_id}`, { is_shared: true })).status).toBe(200);
  });

  it('are out of reach of a maker who left the project, and stay for the others', async () => {
    const { owner, project_id, one } = await team();
    const shared = await save(one.memberToken, { name: 'Shared', project_id, is_shared: true });
    const path = `/v1/projects/${project_id}/members/${one.userId}`;
    expect((await ask(owner, 'DELETE', path)).status).toBe(200);
    expect(await namesOf(one.memberToken)).toEqual([]);
    const change = await ask(one.memberToken, 'PATCH', `/v1/views/${shared.view_id}`, { name: 'z' });
    expectProblem(change, 404, 'view_not_found');
    expect(await namesOf(owner)).toEqual(['Shared']);
  });
});
