import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setPlan } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { problem } from '../support/expect-problem.ts';
import { moveClock } from '../support/move-clock.ts';
import { accept, invite, join, type Person } from '../support/people.ts';
import { pageOf } from '../support/read-pages.ts';
import { sendRequest } from '../support/send-events.ts';
import { audited, newProject, startWithPeople } from './people-of-project.ts';

/**
 * The people of docs/contract/incidents.md 9.7 and docs/contract/account.md 15, on the hosted
 * plans.
 */

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let culprit: TestCulprit;
let project: TestProject;
let owner: Person;
let admin: Person;
let member: Person;
let stranger: Person;

beforeAll(async () => {
  ({ culprit, project, owner, admin, member, stranger } = await startWithPeople());
});
afterAll(() => culprit.stop());
beforeEach(async () => {
  await moveClock(culprit.database, 0);
  await setPlan(culprit, project, 'team');
});

const path = (rest: string) => `/v1/projects/${project.projectId}${rest}`;

describe('the people of a project', () => {
  //
  it('are listed for owner and admins, the owner first, in pages', async () => {
    const projectId = await newProject(culprit, owner);
    const list = (person: Person, query = '') =>
      person.request('GET', `/v1/projects/${projectId}/members${query}`);
    const one = await join(culprit, owner, projectId, 'member');
    const two = await join(culprit, owner, projectId, 'admin');
    expect(await list(one)).toMatchObject(problem(403, 'forbidden'));
    expect(await list(stranger)).toMatchObject(problem(404, 'project_not_found'));

    const everybody = pageOf(await list(two), 'members');
    const record = (person: Person, role: string, type: string) => ({
      user_id: person.userId,
      email: person.email,
      role,
      membership_type: type,
      avatar_url: null,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    expect(everybody.items).toEqual([
      record(owner, 'owner', 'owner'),
      record(one, 'member', 'collaborator'),
      record(two, 'admin', 'collaborator'),
    ]);
    expect(everybody.nextCursor).toBeNull();

    const paged = [];
    let query = '?limit=1';
    for (;;) {
      const page = pageOf(await list(owner, query), 'members');
      paged.push(...page.items);
      if (page.nextCursor === null) break;
      query = `?limit=1&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    expect(paged).toEqual(everybody.items);
    for (const wrong of ['?cursor=x', '?limit=0', '?role=admin', `?cursor=owner|x|${owner.userId}`]) {
      expect(await list(owner, wrong)).toMatchObject(problem(400, 'invalid_query'));
    }
  });

  //
  it('change roles, but nobody becomes or stops being the owner', async () => {
    const person = await join(culprit, owner, project.projectId, 'member');
    const patch = (by: Person, userId: string, body: unknown) =>
      by.request('PATCH', path(`/members/${userId}`), body);
    expect(await patch(admin, person.userId, { role: 'admin' })).toMatchObject({
      status: 200,
      body: { member: { user_id: person.userId, role: 'admin', membership_type: 'collaborator' } },
    });
    expect((await person.request('GET', path('/members'))).status).toBe(200);
    expect(await patch(owner, person.userId, { role: 'admin' })).toMatchObject({
      status: 200,
      body: { member: { role: 'admin' } },
    });
    // Admins may do it to themselves.
    expect((await patch(person, person.userId, { role: 'member' })).status).toBe(200);
    expect(await patch(person, person.userId, { role: 'admin' })).toMatchObject(problem(403, 'forbidden'));
    expect(await audited(culprit, `user:${person.userId}`)).toEqual(
      expect.arrayContaining([
        { action: 'member.role_changed', actor: admin.userId, data: { from: 'member', to: 'admin' } },
        { action: 'member.role_changed', actor: person.userId, data: { from: 'admin', to: 'member' } },
      ]),
    );
    const changes = `audit_log where subject = $1 and action = 'member.role_changed'`;
    expect(await countRows(culprit, changes, [`user:${person.userId}`])).toBe(2);

    for (const by of [owner, admin]) {
      for (const role of ['member', 'admin']) {
        expect(await patch(by, owner.userId, { role })).toMatchObject(
          problem(409, 'owner_role_change_not_allowed'),
        );
      }
    }
    for (const body of [{ role: 'owner' }, {}, { role: 'admin', user_id: person.userId }, { role: null }]) {
      expect(await patch(owner, person.userId, body)).toMatchObject(problem(400, 'invalid_payload'));
    }
    for (const id of [UNKNOWN_ID, stranger.userId, 'x']) {
      expect(await patch(owner, id, { role: 'admin' })).toMatchObject(problem(404, 'member_not_found'));
    }
    expect(await patch(owner, 'not%20one', { role: 'admin' })).toMatchObject(
      problem(400, 'invalid_member_id'),
    );
    expect(await patch(stranger, person.userId, { role: 'admin' })).toMatchObject(
      problem(404, 'project_not_found'),
    );
  });

  //
  it('are removed, except the owner', async () => {
    const person = await join(culprit, owner, project.projectId, 'admin');
    const remove = (by: Person, userId: string) => by.request('DELETE', path(`/members/${userId}`));
    for (const by of [owner, person]) {
      expect(await remove(by, owner.userId)).toMatchObject(problem(409, 'owner_removal_not_allowed'));
    }
    expect(await remove(member, person.userId)).toMatchObject(problem(403, 'forbidden'));
    const removed = await remove(admin, person.userId);
    expect(removed).toMatchObject({
      status: 200,
      body: { member: { user_id: person.userId, email: person.email, role: 'admin' } },
    });
    // At once for the session, which stays good elsewhere.
    expect(await person.request('GET', path('/members'))).toMatchObject(problem(404, 'project_not_found'));
    expect((await person.request('GET', '/v1/projects')).status).toBe(200);
    expect(await remove(admin, person.userId)).toMatchObject(problem(404, 'member_not_found'));
    expect(await audited(culprit, `user:${person.userId}`)).toContainEqual({
      action: 'member.removed',
      actor: admin.userId,
      data: { role: 'admin' },
    });
    // And they may come back.
    const back = await invite(culprit, owner, project.projectId, person.email);
    expect((await accept(person, back.token)).status).toBe(200);
  });

  it('keep their tokens for other projects when they are removed', async () => {
    const person = await join(culprit, owner, project.projectId, 'member');
    const made = await person.request('POST', '/v1/member/tokens', { label: 'ci' });
    expect(made.status).toBe(201);
    const token = /"plaintext":"([^"]+)"/.exec(JSON.stringify(made.body))?.[1] ?? '';
    const get = (rest: string) => sendRequest(culprit.url + rest, { method: 'GET', token });
    expect((await get(path(''))).status).toBe(200);
    await owner.request('DELETE', path(`/members/${person.userId}`));
    expect(await get(path(''))).toMatchObject(problem(404, 'project_not_found'));
    expect(await get('/v1/projects')).toMatchObject({ status: 200, body: { projects: [] } });
  });

  //
  it('leave by themselves, except the owner', async () => {
    const carol = await join(culprit, owner, project.projectId, 'member');
    const leave = (person: Person) => person.request('DELETE', path('/membership'));
    expect(await leave(owner)).toMatchObject(problem(409, 'owner_removal_not_allowed'));
    expect(await leave(stranger)).toMatchObject(problem(404, 'project_not_found'));
    expect(await leave(carol)).toMatchObject({
      status: 200,
      body: { member: { user_id: carol.userId, role: 'member', membership_type: 'collaborator' } },
    });
    expect(await carol.request('GET', path(''))).toMatchObject(problem(404, 'project_not_found'));
    expect(await leave(carol)).toMatchObject(problem(404, 'project_not_found'));
    expect(await audited(culprit, `user:${carol.userId}`)).toContainEqual({
      action: 'member.left',
      actor: carol.userId,
      data: { role: 'member' },
    });
  });

  it('are shut out while the plan is below Team, except the owner', async () => {
    await setPlan(culprit, project, 'free');
    const calls: [string, string, unknown?][] = [
      ['GET', '/members'],
      ['GET', '/invites'],
      ['PATCH', `/members/${member.userId}`, { role: 'admin' }],
      ['DELETE', `/members/${member.userId}`],
      ['DELETE', '/membership'],
    ];
    for (const [method, rest, body] of calls) {
      expect(await admin.request(method, path(rest), body)).toMatchObject(
        problem(403, 'shared_access_suspended'),
      );
    }
    expect((await owner.request('GET', path('/members'))).status).toBe(200);
    expect((await owner.request('GET', path('/invites'))).status).toBe(200);
  });
});
