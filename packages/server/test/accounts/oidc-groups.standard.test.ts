import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { approveProgram, postProgram, startProgram } from '../support/cli-sign-in-client.ts';
import type { TestProject } from '../support/culprit.ts';
import { plaintextIn } from '../support/github-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { useOidcBench } from '../support/oidc-bench.ts';
import { newAddress } from '../support/people.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';

const DAY_MS = 86_400_000;
const GRANTS = '/v1/organization/group-grants';

const bench = useOidcBench();
let project: TestProject;
/** Of the person, anew for each test. */
let name: string;

beforeAll(async () => {
  project = await bench.culprit.createProject({ name: 'shop' });
  await grant('engineers', 'member', project.projectId);
  await grant('leads', 'admin', project.projectId);
});
beforeEach(() => {
  name = newAddress('person');
});

/** What the owner of the project asks, unless another token is given. */
async function ask(
  method: string,
  path: string,
  body?: object,
  token = project.memberToken,
): Promise<Answer> {
  return await sendRequest(bench.culprit.url + path, {
    method,
    token,
    json: body,
  });
}

async function grant(group: string, role: string, projectId: string | null, team?: string): Promise<string> {
  const { status, body } = await ask('POST', GRANTS, { group, role, project_id: projectId, team_id: team });
  const made = isJsonObject(body) && isJsonObject(body.group_grant) ? body.group_grant : null;
  if (status !== 201 || made === null) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  return String(made.grant_id);
}

/** Signs the person in with these claims. */
async function signIn(claims: JsonObject): Promise<void> {
  bench.addPerson(name, { email: name, ...claims });
  const browser = bench.open();
  await browser.signIn(name);
  if ((await browser.session()) === null) throw new Error('not signed in');
}

/** The role of the person in the project; null: none. */
async function role(): Promise<unknown> {
  const { body } = await ask('GET', `/v1/projects/${project.projectId}/members?limit=100`);
  const members = isJsonObject(body) && Array.isArray(body.members) ? body.members.filter(isJsonObject) : [];
  return members.find(({ email }) => email === name)?.role ?? null;
}

/** Creates a team in the organization of a project. */
async function createTeam(owner = project): Promise<string> {
  const path = `/v1/projects/${owner.projectId}/teams`;
  const slug = `team-${newUuid().slice(-12)}`;
  const { body } = await ask('POST', path, { slug, name: 'Team' }, owner.memberToken);
  const team = isJsonObject(body) && isJsonObject(body.team) ? body.team : {};
  return String(team.team_id);
}

/** Who put the person into a team, as its record says; null: they are not in it. */
async function sourceIn(teamId: string): Promise<unknown> {
  const [row] = await bench.culprit.database.query<{ source: string }>(
    {
      name: 'test-team-source',
      text: 'select source from team_members join users using (user_id) where team_id = $1 and email = $2',
    },
    [teamId, name],
  );
  const { body } = await ask('GET', `/v1/projects/${project.projectId}/teams`);
  const teams = isJsonObject(body) && Array.isArray(body.teams) ? body.teams.filter(isJsonObject) : [];
  const members = teams.find(({ team_id: id }) => id === teamId)?.members;
  const listed = Array.isArray(members) ? members.filter(isJsonObject) : [];
  const source = listed.find(({ email }) => email === name)?.source ?? null;
  expect(source).toBe(row?.source ?? null);
  return source;
}

async function userId(): Promise<string> {
  const [row] = await bench.culprit.database.query<{ user_id: string }>(
    { name: 'test-user-of', text: 'select user_id from users where email = $1' },
    [name],
  );
  return row?.user_id ?? '';
}

describe('groups of the provider', () => {
  it('add, raise, lower and remove a membership, each at a sign-in and immediately', async () => {
    await signIn({ groups: ['engineers', 'others'] });
    expect(await role()).toBe('member');
    await signIn({ groups: ['engineers', 'leads'] });
    expect(await role()).toBe('admin');
    await signIn({ groups: ['engineers'] });
    expect(await role()).toBe('member');
    await signIn({ groups: [] });
    expect(await role()).toBeNull();
    const rows = await bench.culprit.database.query({
      name: 'test-audit-groups',
      text: `select action, data ->> 'from' as "from", data ->> 'to' as "to" from audit_log
        where data ->> 'source' = 'oidc' order by audit_id`,
    });
    expect(rows).toEqual([
      { action: 'member.added', from: null, to: 'member' },
      { action: 'member.role_changed', from: 'member', to: 'admin' },
      { action: 'member.role_changed', from: 'admin', to: 'member' },
      { action: 'member.removed', from: 'member', to: null },
    ]);
  });

  it('change nothing when the provider does not say them, and that is written down', async () => {
    await signIn({ groups: ['engineers'] });
    await signIn({});
    expect(await role()).toBe('member');
    // More groups than fit into a token: the claim only points elsewhere.
    await signIn({ _claim_names: { groups: 'src1' } });
    expect(await role()).toBe('member');
    const rows = await bench.culprit.database.query(
      {
        name: 'test-audit-missing',
        text: `select action from audit_log where actor_user_id = $1 and action = 'oidc_groups_missing'`,
      },
      [await userId()],
    );
    expect(rows).toHaveLength(2);
  });

  it('never take away a role that people gave, and the higher one holds', async () => {
    await signIn({ groups: ['engineers'] });
    const path = `/v1/projects/${project.projectId}/members/${await userId()}`;
    await ask('PATCH', path, { role: 'admin' });
    await signIn({ groups: ['engineers'] });
    expect(await role()).toBe('admin');
    await signIn({ groups: [] });
    expect(await role()).toBe('admin');
    await ask('PATCH', path, { role: 'member' });
    await signIn({ groups: ['leads'] });
    expect(await role()).toBe('admin');
    await signIn({ groups: [] });
    expect(await role()).toBe('member');
  });

  it('give what a grant for all projects says, future ones too', async () => {
    const grantId = await grant('everyone', 'member', null);
    await signIn({ groups: ['everyone'] });
    expect(await role()).toBe('member');
    const { body } = await ask('GET', GRANTS);
    expect(isJsonObject(body) ? body.group_grants : null).toContainEqual(
      expect.objectContaining({ grant_id: grantId, group: 'everyone', role: 'member', project_id: null }),
    );
    expect((await ask('DELETE', `${GRANTS}/${grantId}`)).status).toBe(204);
    expect((await ask('DELETE', `${GRANTS}/${grantId}`)).status).toBe(404);
    await signIn({ groups: ['everyone'] });
    expect(await role()).toBeNull();
  });

  it('put people into teams and take them out, and leave a place that people gave', async () => {
    await signIn({ groups: ['engineers'] });
    const id = await userId();
    const team = await createTeam();
    const place = `/v1/projects/${project.projectId}/teams/${team}/members/${id}`;
    const grantId = await grant('engineers', 'member', project.projectId, team);
    expect(await sourceIn(team)).toBeNull();
    await signIn({ groups: ['engineers'] });
    expect(await sourceIn(team)).toBe('oidc');
    // The role alone: the grant keeps its team.
    expect(await grant('engineers', 'admin', project.projectId)).toBe(grantId);
    await signIn({ groups: ['engineers'] });
    expect([await role(), await sourceIn(team)]).toEqual(['admin', 'oidc']);
    await signIn({});
    expect(await sourceIn(team)).toBe('oidc');
    await signIn({ groups: ['leads'] });
    expect([await role(), await sourceIn(team)]).toEqual(['admin', null]);

    await signIn({ groups: ['engineers'] });
    expect((await ask('POST', place)).status).toBe(200);
    expect(await sourceIn(team)).toBe('manual');
    await signIn({ groups: ['leads'] });
    expect(await sourceIn(team)).toBe('manual');

    const rows = await bench.culprit.database.query(
      {
        name: 'test-audit-teams',
        text: `select action, data ->> 'source' as source from audit_log where subject = $1 order by audit_id`,
      },
      [`team:${team}`],
    );
    expect(rows).toEqual([
      { action: 'team.created', source: null },
      { action: 'team.member_added', source: 'oidc' },
      { action: 'team.member_removed', source: 'oidc' },
      { action: 'team.member_added', source: 'oidc' },
      { action: 'team.member_added', source: null },
    ]);
  });

  it('give a team no access: a team is for people who have it, and goes with the last of it', async () => {
    const team = await createTeam();
    const grantId = await grant('visitors', 'member', project.projectId, team);
    await signIn({ groups: ['visitors'] });
    expect([await role(), await sourceIn(team)]).toEqual(['member', 'oidc']);
    // A grant whose team was deleted still gives its role.
    expect((await ask('DELETE', `/v1/projects/${project.projectId}/teams/${team}`)).status).toBe(200);
    const { body } = await ask('GET', GRANTS);
    expect(isJsonObject(body) ? body.group_grants : null).toContainEqual(
      expect.objectContaining({ grant_id: grantId, team_id: null }),
    );
    await signIn({ groups: ['visitors'] });
    expect(await role()).toBe('member');

    const next = await createTeam();
    await grant('visitors', 'member', project.projectId, next);
    await signIn({ groups: ['visitors'] });
    expect(await sourceIn(next)).toBe('oidc');
    expect((await ask('DELETE', `${GRANTS}/${grantId}`)).status).toBe(204);
    await signIn({ groups: ['visitors'] });
    expect([await role(), await sourceIn(next)]).toEqual([null, null]);
  });

  it('have 500 grants at most, and each of these can still change', async () => {
    const full = await bench.culprit.createProject({ name: 'full' });
    await bench.culprit.database.query(
      {
        name: 'test-fill-grants',
        text: `insert into group_grants (grant_id, organization_id, group_name, role)
          select gen_random_uuid(), organization_id, 'group-' || n, 'member'
          from projects, generate_series(1, 500) n where project_id = $1`,
      },
      [parseId(['proj'], full.projectId)],
    );
    const give = (group: string) => ask('POST', GRANTS, { group, role: 'admin' }, full.memberToken);
    expect((await give('another')).body).toEqual({ error: 'resource_limit_reached' });
    expect(await give('group-7')).toMatchObject({ status: 201, body: { group_grant: { role: 'admin' } } });
  });

  it('never change what the owner is', async () => {
    const owned = await bench.culprit.createProject({ name: 'own', email: name });
    const { status } = await ask('POST', GRANTS, { group: 'engineers', role: 'member' }, owned.memberToken);
    expect(status).toBe(201);
    await signIn({ groups: ['engineers'] });
    const { body } = await ask('GET', `/v1/projects/${owned.projectId}`, undefined, owned.memberToken);
    expect(body).toMatchObject({ project: { effective_role: 'owner' } });
    await signIn({ groups: [] });
    expect((await ask('GET', `/v1/projects/${owned.projectId}`, undefined, owned.memberToken)).status).toBe(
      200,
    );
  });

  it('are given nothing in the projects of others', async () => {
    const other = await bench.culprit.createProject({ name: 'theirs' });
    const { status, body } = await ask('POST', GRANTS, {
      group: 'engineers',
      role: 'admin',
      project_id: other.projectId,
    });
    expect([status, body]).toEqual([404, { error: 'project_not_found' }]);
    for (const team of [await createTeam(other), 'x']) {
      const answer = await ask('POST', GRANTS, { group: 'engineers', role: 'admin', team_id: team });
      expect([answer.status, answer.body]).toEqual([404, { error: 'team_not_found' }]);
    }
  });
});

describe('member tokens of a person who came by the provider', () => {
  it('stop working 30 days after the last sign-in there, and work again after the next', async () => {
    await signIn({ groups: [] });
    const browser = await bench.culprit.signIn(name);
    const { requestId, userCode } = await startProgram(bench.culprit);
    await approveProgram(bench.culprit, browser, userCode);
    const token = plaintextIn(await postProgram(bench.culprit, 'claim', { request_id: requestId }));
    const answer = async () => (await ask('GET', '/v1/projects', undefined, token)).status;
    try {
      await moveClock(bench.culprit.database, 29 * DAY_MS);
      expect(await answer()).toBe(200);
      await moveClock(bench.culprit.database, 31 * DAY_MS);
      expect(await answer()).toBe(401);
      // Tokens of people who never came by the provider stay as they are.
      expect((await ask('GET', '/v1/projects')).status).toBe(200);
      await signIn({ groups: [] });
      expect(await answer()).toBe(200);
    } finally {
      await moveClock(bench.culprit.database, 0);
    }
  });
});
