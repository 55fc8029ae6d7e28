import type { People } from '@culprit/contract/workspace/people';
import type { Team } from '@culprit/contract/workspace/teams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX } from './incidents-fixtures.ts';

/** Teams, to which incidents are assigned and which notes mention (docs/contract/team-workflow.md 2.4). */
describe.concurrent('teams', () => {
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
  const teamIn = ({ body }: Answer) => (body as { team: Team }).team;

  interface Stage {
    client: IncidentClient;
    owner: string;
    member: Collaborator;
    /** Of the project. */
    path: string;
  }

  async function stage(): Promise<Stage> {
    const client = await connect(culprit, { plan: 'team' });
    const member = await createCollaborator(culprit, client.project, 'member');
    const path = `/v1/projects/${client.project.projectId}`;
    return { client, owner: client.project.memberToken, member, path };
  }

  async function create({ owner, path }: Stage, slug: string, name = slug): Promise<Team> {
    const answer = await ask(owner, 'POST', `${path}/teams`, { slug, name });
    expect(answer.status).toBe(201);
    return teamIn(answer);
  }

  it('are created, renamed, filled and deleted by admins, and listed by all', async () => {
    const at = await stage();
    const { owner, member, path } = at;
    const team = await create(at, 'payments', '  Pay \n ments ');
    expect(team).toEqual({
      team_id: team.team_id,
      organization_id: expect.any(String),
      slug: 'payments',
      name: 'Pay ments',
      members: [],
      created_at: expect.any(String),
      updated_at: team.created_at,
    });
    const own = `${path}/teams/${team.team_id}`;
    const people = `${own}/members/${member.userId}`;
    for (let time = 0; time < 2; time += 1) {
      const added = teamIn(await ask(owner, 'POST', people));
      expect(added.members).toMatchObject([{ user_id: member.userId, email: member.email, name: null }]);
    }
    const listed = await ask(member.memberToken, 'GET', `${path}/teams`);
    expect(listed.body).toMatchObject({ teams: [{ slug: 'payments', members: [{ email: member.email }] }] });
    const renamed = teamIn(await ask(owner, 'PATCH', own, { slug: 'billing' }));
    expect(renamed).toMatchObject({ slug: 'billing', name: 'Pay ments' });
    expect(teamIn(await ask(owner, 'DELETE', people)).members).toEqual([]);
    expectProblem(await ask(owner, 'DELETE', people), 404, 'member_not_found');
    expect((await ask(owner, 'DELETE', own)).status).toBe(200);
    expectProblem(await ask(owner, 'PATCH', own, { name: 'x' }), 404, 'team_not_found');
  });

  it('are refused to members, and hidden from strangers', async () => {
    const at = await stage();
    const { member, path } = at;
    const team = await create(at, 'infra');
    const own = `${path}/teams/${team.team_id}`;
    const other = await stage();
    for (const [method, to, body] of [
      ['POST', `${path}/teams`, { slug: 'aa', name: 'a' }],
      ['PATCH', own, { name: 'a' }],
      ['POST', `${own}/members/${member.userId}`, undefined],
      ['DELETE', own, undefined],
    ] as const) {
      expectProblem(await ask(member.memberToken, method, to, body), 403, 'forbidden');
      expectProblem(await ask(other.owner, method, to, body), 404, 'project_not_found');
    }
    const elsewhere = `${other.path}/teams/${team.team_id}`;
    expectProblem(await ask(other.owner, 'PATCH', elsewhere, { name: 'a' }), 404, 'team_not_found');
    const stranger = `${own}/members/${other.member.userId}`;
    expectProblem(await ask(at.owner, 'POST', stranger), 404, 'member_not_found');
  });

  it('share one space of names with the people of the organization', async () => {
    const at = await stage();
    const { owner, member, path } = at;
    await create(at, 'storage');
    const { body } = await ask(owner, 'GET', `${path}/people`);
    const handle = (body as People).people.find(({ user_id: id }) => id === member.userId)?.handle ?? '';
    for (const slug of ['storage', handle]) {
      expectProblem(await ask(owner, 'POST', `${path}/teams`, { slug, name: 'x' }), 409, 'handle_taken');
    }
    const profile = (wanted: string) =>
      ask(member.memberToken, 'PATCH', '/v1/account/profile', { handle: wanted });
    expectProblem(await profile('storage'), 409, 'handle_taken');
    expectProblem(
      await ask(owner, 'POST', `${path}/teams`, { slug: 'A B', name: 'x' }),
      400,
      'invalid_payload',
    );
    // Another organization has names of its own.
    await create(await stage(), 'storage');
  });

  it('get incidents, lose them when they are deleted, and are found by queries', async () => {
    const at = await stage();
    const { client, owner, member, path } = at;
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const team = await create(at, 'checkout', 'Checkout');
    const assign = (assignee: object | null) => ask(owner, 'PATCH', `/v1/incidents/${id}`, { assignee });
    // No person of it sees the project yet.
    expectProblem(await assign({ team_id: team.team_id }), 404, 'assignee_not_found');
    await ask(owner, 'POST', `${path}/teams/${team.team_id}/members/${member.userId}`);
    for (const body of [
      {},
      { user_id: member.userId, team_id: team.team_id },
      { team_id: newUuid(), x: 1 },
    ]) {
      expectProblem(await assign(body), 400, 'invalid_payload');
    }
    const foreign = await create(await stage(), 'checkout');
    expectProblem(await assign({ team_id: foreign.team_id }), 404, 'assignee_not_found');
    for (let time = 0; time < 2; time += 1)
      expect((await assign({ team_id: team.team_id })).status).toBe(200);
    expect((await client.read(id)).triage.assignee).toEqual({
      kind: 'team',
      id: team.team_id,
      name: 'Checkout',
      handle: 'checkout',
      email: null,
      at: expect.any(String),
    });
    expect(await client.ledger('incident.assigned')).toMatchObject([
      { data: { assignee: { kind: 'team', id: team.team_id, name: 'Checkout' } } },
    ]);
    const found = async (token: string, q: string) => {
      const query = new URLSearchParams({ project_id: client.project.projectId, q });
      const { body } = await ask(token, 'GET', `/v1/incidents?${query}`);
      return (body as { incidents: unknown[] }).incidents.length;
    };
    for (const q of [
      'team:checkout',
      'assignee:checkout',
      'is:assigned',
      '-is:unassigned',
      'team:x,checkout',
    ])
      expect([q, await found(owner, q)]).toEqual([q, 1]);
    for (const q of ['team:other', '-team:checkout', 'is:mine', 'assignee:none', 'assignee:me'])
      expect([q, await found(owner, q)]).toEqual([q, 0]);
    expect(await found(member.memberToken, 'is:mine')).toBe(1);
    const proposed = await ask(owner, 'GET', '/v1/incidents/query?q=team:che');
    expect(proposed.body).toMatchObject({ suggestions: [{ text: 'team:checkout', hint: 'Checkout' }] });
    await ask(owner, 'DELETE', `${path}/teams/${team.team_id}`);
    expect((await client.read(id)).triage.assignee).toBeNull();
    await eventually(async () =>
      expect(await client.ledger('incident.unassigned')).toMatchObject([{ data: { reason: 'no_access' } }]),
    );
  });

  it('are mentioned by notes, and offered to assignments while one of their people sees the project', async () => {
    const at = await stage();
    const { client, owner, member, path } = at;
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const team = await create(at, 'front-end');
    const mentions = async () => {
      const { body } = await ask(owner, 'POST', `/v1/incidents/${id}/notes`, { body: 'cc @front-end' });
      return (body as { note: { mentions: object[] } }).note.mentions;
    };
    const teams = async () => ((await ask(owner, 'GET', `${path}/people`)).body as People).teams;
    expect([await mentions(), await teams()]).toEqual([[], []]);
    await ask(owner, 'POST', `${path}/teams/${team.team_id}/members/${member.userId}`);
    expect(await mentions()).toEqual([{ kind: 'team', id: team.team_id, offset: 3, length: 10 }]);
    expect(await teams()).toEqual([{ team_id: team.team_id, slug: 'front-end', name: 'front-end' }]);
    await ask(owner, 'DELETE', `${path}/members/${member.userId}`);
    expect([await mentions(), await teams()]).toEqual([[], []]);
    const { body } = await ask(owner, 'GET', `${path}/teams`);
    expect(body).toMatchObject({ teams: [{ slug: 'front-end', members: [] }] });
  });
});
