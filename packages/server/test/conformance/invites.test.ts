import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { setPlan } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { problem } from '../support/expect-problem.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { accept, allMailSent, invite, join, newAddress, type Person, signInAs } from '../support/people.ts';
import { pageOf } from '../support/read-pages.ts';
import { sendRequest } from '../support/send-events.ts';
import { tablesWith } from '../support/tables-with.ts';
import { audited, newProject, startWithPeople } from './people-of-project.ts';

/**
 * The people of docs/contract/incidents.md 9.7 and docs/contract/account.md 15, on the hosted
 * plans.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS;
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

describe('inviting', () => {
  //
  it('answers the invite, and a second one for the address is refused', async () => {
    const email = newAddress('carol');
    const atMs = Date.parse('2026-03-24T10:30:00.123Z');
    await holdClock(culprit.database, atMs);
    const answer = await sendRequest(culprit.url + path('/invite'), {
      token: project.memberToken,
      body: JSON.stringify({ email: ` ${email.toUpperCase()} ` }),
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      invite: {
        invite_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        project_id: project.projectId,
        email,
        role: 'member',
        invited_by_user_id: owner.userId,
        accepted_at: null,
        canceled_at: null,
        created_at: '2026-03-24T10:30:00.123Z',
        expires_at: '2026-03-31T10:30:00.123Z',
      },
    });
    expect(await owner.request('POST', path('/invite'), { email })).toMatchObject(
      problem(409, 'invite_already_exists'),
    );
  });

  //
  it('needs the Team plan, and that is said before the state is', async () => {
    await setPlan(culprit, project, 'solo');
    for (const email of [newAddress(), member.email]) {
      expect(await owner.request('POST', path('/invite'), { email })).toMatchObject(
        problem(403, 'upgrade_required'),
      );
    }
    await setPlan(culprit, project, 'free');
    expect(await owner.request('POST', path('/invite'), { email: newAddress() })).toMatchObject(
      problem(403, 'upgrade_required'),
    );
    expect(await admin.request('POST', path('/invite'), { email: newAddress() })).toMatchObject(
      problem(403, 'shared_access_suspended'),
    );
  });

  //
  it('is for owner and admins', async () => {
    const email = newAddress();
    expect(await member.request('POST', path('/invite'), { email })).toMatchObject(problem(403, 'forbidden'));
    expect(await stranger.request('POST', path('/invite'), { email })).toMatchObject(
      problem(404, 'project_not_found'),
    );
    const answer = await admin.request('POST', path('/invite'), { email, role: 'admin' });
    expect(answer).toMatchObject({
      status: 201,
      body: { invite: { role: 'admin', invited_by_user_id: admin.userId } },
    });
  });

  it.each([
    {},
    { email: 'x' },
    { email: 'a@b.test, c@d.test' },
    { email: 'Carol <carol@example.test>' },
    { email: `${'a'.repeat(245)}@example.test` },
    { email: 7 },
    { email: 'carol@example.test', role: 'owner' },
    { email: 'carol@example.test', role: null },
    { email: 'carol@example.test', note: 'hello' },
    { 0: 'carol@example.test' },
  ])('refuses the body %j', async (body) => {
    expect(await owner.request('POST', path('/invite'), body)).toMatchObject(problem(400, 'invalid_payload'));
  });

  it('refuses people who are in the project, however their address is written', async () => {
    for (const email of [owner.email, admin.email, member.email.toUpperCase()]) {
      expect(await admin.request('POST', path('/invite'), { email })).toMatchObject(
        problem(409, 'member_already_exists'),
      );
    }
  });

  it('needs a proven address of the inviter', async () => {
    const inviter = await join(culprit, owner, project.projectId, 'admin');
    await culprit.database.query(
      { name: 'test-unverify', text: 'update users set email_verified_at = null where user_id = $1' },
      [inviter.userId],
    );
    expect(await inviter.request('POST', path('/invite'), { email: member.email })).toMatchObject(
      problem(403, 'email_verification_required'),
    );
    await setPlan(culprit, project, 'solo');
    expect(await inviter.request('POST', path('/invite'), { email: member.email })).toMatchObject(
      problem(403, 'shared_access_suspended'),
    );
  });

  it('mails the link, and nothing else holds the token', async () => {
    const email = newAddress('dora');
    const { token } = await invite(culprit, admin, project.projectId, email, 'admin');
    expect(token).toMatch(/^svc_invite_[0-9A-Za-z]{43}$/);
    const hash = `sha256(convert_to($1, 'UTF8'))`;
    expect(await countRows(culprit, `project_invites where token_hash = ${hash}`, [token])).toBe(1);
    await allMailSent(culprit);
    expect(await tablesWith(culprit, token)).toEqual([]);
    const listed = await owner.request('GET', path('/invites?limit=100'));
    expect(JSON.stringify(listed.body)).toContain(email);
    expect(JSON.stringify(listed.body)).not.toContain('svc_invite_');
  });

  it('is read by its token alone until it is used, and another token says nothing', async () => {
    const email = newAddress();
    const { token } = await invite(culprit, owner, project.projectId, email);
    const read = (body: object) =>
      sendRequest(`${culprit.url}/v1/auth/project-invite/read`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
    const offer = { project_name: expect.any(String), invited_by_email: owner.email, role: 'member' };
    expect(await read({ token })).toMatchObject({ status: 200, body: { offer } });
    const other = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    expect(await read({ token: other })).toMatchObject(problem(400, 'invalid_token'));
    expect(await read({ token: 'x' })).toMatchObject(problem(400, 'invalid_token'));
    expect((await accept(await signInAs(culprit, email), token)).status).toBe(200);
    expect(await read({ token })).toMatchObject(problem(400, 'invalid_token'));
  });

  it('stops at 500 collaborators, open invites among them', async () => {
    const projectId = await newProject(culprit, owner);
    const id = parseId(['proj'], projectId);
    await culprit.database.query(
      {
        name: 'test-many-people',
        text: `with people as (
            insert into users (user_id, email) select gen_random_uuid(), gen_random_uuid() || '@many.test'
            from generate_series(1, 498) returning user_id
          ) insert into project_members (project_id, user_id, role) select $1, user_id, 'member' from people`,
      },
      [id],
    );
    const ask = (email: string) => owner.request('POST', `/v1/projects/${projectId}/invite`, { email });
    const closed = await ask(newAddress());
    const second = await ask(newAddress());
    expect([closed.status, second.status]).toEqual([201, 201]);
    expect(await ask(newAddress())).toMatchObject(problem(409, 'resource_limit_reached'));
    // An invite that ran out leaves its place.
    await moveClock(culprit.database, WEEK_MS + 1000);
    const late = await signInAs(culprit, owner.email);
    const answer = await late.request('POST', `/v1/projects/${projectId}/invite`, { email: newAddress() });
    expect(answer.status).toBe(201);
  });
});

describe('messages that a person sends at will', () => {
  async function sender() {
    const email = newAddress();
    const { projectId } = await culprit.createProject({ plan: 'team', email, name: 'mail' });
    const { request } = await signInAs(culprit, email);
    return {
      async invites(to: string): Promise<number> {
        const { status, body } = await request('POST', `/v1/projects/${projectId}/invite`, { email: to });
        // Canceled, so that the address can be invited again.
        const { invite: made } = body as { invite?: { invite_id: string } };
        if (made !== undefined)
          await request('DELETE', `/v1/projects/${projectId}/invites/${made.invite_id}`);
        return status;
      },
      async tests(to: string): Promise<number> {
        const rule = { project_id: projectId, channel: 'email', condition_type: 'new_incident' };
        const { body } = await request('POST', '/v1/alerts', { ...rule, config: { to } });
        const { alert } = body as { alert: { alert_id: string } };
        return (await request('POST', `/v1/alerts/${alert.alert_id}/test`)).status;
      },
    };
  }

  it('are 20 an hour to one address, from all people together', async () => {
    const [first, second, to] = [await sender(), await sender(), newAddress()];
    for (let sent = 0; sent < 10; sent += 1) {
      expect([await first.invites(to), await second.invites(to)]).toEqual([201, 201]);
    }
    expect([await first.invites(to), await second.tests(to)]).toEqual([429, 429]);
    expect([await first.invites(newAddress()), await second.tests(newAddress())]).toEqual([201, 200]);
  });

  it('are 60 an hour of one person', async () => {
    const { invites, tests } = await sender();
    for (let sent = 0; sent < 60; sent += 1) expect([sent, await invites(newAddress())]).toEqual([sent, 201]);
    expect([await invites(newAddress()), await tests(newAddress())]).toEqual([429, 429]);
  });
});

describe('the list of invites', () => {
  it('holds the open ones, newest first, in pages', async () => {
    const projectId = await newProject(culprit, owner);
    const made = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      made.push(await invite(culprit, owner, projectId, newAddress(name)));
    }
    const [accepted, canceled, ...open] = made;
    const person = await signInAs(culprit, accepted?.invite.email ?? '');
    expect((await accept(person, accepted?.token ?? '')).status).toBe(200);
    await owner.request('DELETE', `/v1/projects/${projectId}/invites/${canceled?.invite.invite_id}`);

    const first = pageOf(await owner.request('GET', `/v1/projects/${projectId}/invites?limit=2`), 'invites');
    const rest = `limit=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`;
    const second = pageOf(await owner.request('GET', `/v1/projects/${projectId}/invites?${rest}`), 'invites');
    expect([...first.items, ...second.items]).toEqual(open.map(({ invite }) => invite).reverse());
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null]);

    await moveClock(culprit.database, WEEK_MS + 1000);
    const late = await signInAs(culprit, owner.email);
    expect(pageOf(await late.request('GET', `/v1/projects/${projectId}/invites`), 'invites').items).toEqual(
      [],
    );
  });

  it('is for owner and admins, with a cursor of its own', async () => {
    expect((await admin.request('GET', path('/invites'))).status).toBe(200);
    expect(await member.request('GET', path('/invites'))).toMatchObject(problem(403, 'forbidden'));
    expect(await stranger.request('GET', path('/invites'))).toMatchObject(problem(404, 'project_not_found'));
    for (const query of ['limit=0', 'limit=101', 'cursor=x', 'cursor=', 'state=all', 'limit=1&limit=1']) {
      expect(await owner.request('GET', path(`/invites?${query}`))).toMatchObject(
        problem(400, 'invalid_query'),
      );
    }
  });
});

describe('canceling an invite', () => {
  it('answers it with the time, ends its link, and is no state to come back from', async () => {
    const email = newAddress('erin');
    const { invite: made, token } = await invite(culprit, owner, project.projectId, email);
    const canceled = await admin.request('DELETE', path(`/invites/${made.invite_id}`));
    expect(canceled.status).toBe(200);
    expect(canceled.body).toEqual({
      invite: { ...made, canceled_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
    });
    const erin = await signInAs(culprit, email);
    expect(await accept(erin, token)).toMatchObject(problem(400, 'invalid_token'));
    expect(await admin.request('DELETE', path(`/invites/${made.invite_id}`))).toMatchObject(
      problem(404, 'invite_not_found'),
    );
    // The address may be invited again.
    expect((await accept(erin, (await invite(culprit, owner, project.projectId, email)).token)).status).toBe(
      200,
    );
    expect(await audited(culprit, `invite:${made.invite_id}`)).toEqual([
      { action: 'invite.created', actor: owner.userId, data: { role: 'member' } },
      { action: 'invite.canceled', actor: admin.userId, data: {} },
    ]);
  });

  it('finds no invite that is unknown, accepted, expired, or of another project', async () => {
    const { invite: made, token } = await invite(culprit, owner, project.projectId, newAddress());
    const person = await signInAs(culprit, made.email);
    await accept(person, token);
    const other = await newProject(culprit, owner);
    const elsewhere = await invite(culprit, owner, other, newAddress());
    for (const id of [
      UNKNOWN_ID,
      made.invite_id,
      elsewhere.invite.invite_id,
      'anything',
      `inv_${UNKNOWN_ID}`,
    ]) {
      expect(await owner.request('DELETE', path(`/invites/${id}`))).toMatchObject(
        problem(404, 'invite_not_found'),
      );
    }
    expect(await owner.request('DELETE', path('/invites/not%20one'))).toMatchObject(
      problem(400, 'invalid_invite_id'),
    );
    // Whether it is there is answered before the role (docs/contract/account.md 0).
    expect(await member.request('DELETE', path(`/invites/${UNKNOWN_ID}`))).toMatchObject(
      problem(404, 'invite_not_found'),
    );
    await moveClock(culprit.database, WEEK_MS + 1000);
    const late = await signInAs(culprit, owner.email);
    const answer = await late.request(
      'DELETE',
      `/v1/projects/${other}/invites/${elsewhere.invite.invite_id}`,
    );
    expect(answer).toMatchObject(problem(404, 'invite_not_found'));
  });
});

describe('accepting an invite', () => {
  // A-50 A-57
  it('gives the place once, to the invited address alone, by session', async () => {
    const carolAddress = newAddress('carol');
    const { invite: made, token } = await invite(culprit, owner, project.projectId, carolAddress);
    const dave = await signInAs(culprit, newAddress('dave'));
    expect(await accept(dave, token)).toMatchObject(problem(403, 'invite_email_mismatch'));
    const byBearer = await sendRequest(`${culprit.url}/v1/auth/project-invite/accept`, {
      token: project.memberToken,
      body: JSON.stringify({ token }),
    });
    expect(byBearer).toMatchObject(problem(401, 'invalid_session'));
    expect(byBearer.headers.get('www-authenticate')).toBe('Bearer');

    const carol = await signInAs(culprit, carolAddress);
    expect(await carol.request('GET', path(''))).toMatchObject(problem(404, 'project_not_found'));
    const accepted = await accept(carol, token);
    expect(accepted).toMatchObject({ status: 200 });
    expect(accepted.body).toEqual({
      membership: {
        project_id: project.projectId,
        user_id: carol.userId,
        role: 'member',
        membership_type: 'collaborator',
      },
    });
    expect(await carol.request('GET', path(''))).toMatchObject({
      status: 200,
      body: {
        project: { relationship: 'shared', effective_role: 'member', sharing_state: 'shared_with_you' },
      },
    });
    expect(await accept(carol, token)).toMatchObject(problem(400, 'invalid_token'));
    expect(await accept(dave, token)).toMatchObject(problem(400, 'invalid_token'));
    expect(await audited(culprit, `invite:${made.invite_id}`)).toContainEqual({
      action: 'invite.accepted',
      actor: carol.userId,
      data: { role: 'member' },
    });
  });

  //
  it('works until the 7 days are over, exactly, and then the address is invited again', async () => {
    const atMs = Date.now();
    await holdClock(culprit.database, atMs);
    const inTime = await invite(culprit, owner, project.projectId, newAddress());
    const tooLate = await invite(culprit, owner, project.projectId, newAddress());
    await holdClock(culprit.database, atMs + WEEK_MS - 1);
    const early = await signInAs(culprit, inTime.invite.email);
    expect((await accept(early, inTime.token)).status).toBe(200);
    await holdClock(culprit.database, atMs + WEEK_MS);
    const late = await signInAs(culprit, tooLate.invite.email);
    expect(await accept(late, tooLate.token)).toMatchObject(problem(400, 'invalid_token'));
    const lateOwner = await signInAs(culprit, owner.email);
    const again = await invite(culprit, lateOwner, project.projectId, late.email);
    expect((await accept(late, again.token)).status).toBe(200);
  });

  it('has a second address', async () => {
    const { invite: made, token } = await invite(culprit, owner, project.projectId, newAddress(), 'admin');
    const person = await signInAs(culprit, made.email);
    expect(await person.request('POST', '/v1/auth/accept-invite', { token })).toMatchObject({
      status: 200,
      body: { membership: { user_id: person.userId, role: 'admin' } },
    });
    expect((await person.request('GET', path('/members'))).status).toBe(200);
  });

  it('waits while the plan is below Team', async () => {
    const { invite: made, token } = await invite(culprit, owner, project.projectId, newAddress());
    const person = await signInAs(culprit, made.email);
    await setPlan(culprit, project, 'solo');
    expect(await accept(person, token)).toMatchObject(problem(403, 'shared_access_suspended'));
    await setPlan(culprit, project, 'team');
    expect((await accept(person, token)).status).toBe(200);
  });

  it('gives nothing to somebody who is in the project, and spends the link', async () => {
    const { invite: made, token } = await invite(culprit, owner, project.projectId, newAddress(), 'admin');
    const person = await signInAs(culprit, made.email);
    await culprit.database.query(
      {
        name: 'test-join',
        text: `insert into project_members (project_id, user_id, role) values ($1, $2, 'member')`,
      },
      [parseId(['proj'], project.projectId), person.userId],
    );
    expect(await accept(person, token)).toMatchObject(problem(400, 'invalid_token'));
    const spent = 'project_invites where invite_id = $1 and accepted_at is not null';
    expect(await countRows(culprit, spent, [made.invite_id])).toBe(1);
    expect(await person.request('GET', path('/members'))).toMatchObject(problem(403, 'forbidden'));
  });

  it('finds nothing behind other texts', async () => {
    for (const token of [
      '',
      'svc_invite_',
      `svc_invite_${'a'.repeat(43)}`,
      project.memberToken,
      'x'.repeat(5000),
    ]) {
      expect(await accept(stranger, token)).toMatchObject(problem(400, 'invalid_token'));
    }
    for (const body of [{}, { token: 7 }, { token: null }, { token: 'x', project_id: 'y' }]) {
      expect(await stranger.request('POST', '/v1/auth/project-invite/accept', body)).toMatchObject(
        problem(400, 'invalid_payload'),
      );
    }
  });

  it('ends with the project', async () => {
    const projectId = await newProject(culprit, owner);
    const { invite: made, token } = await invite(culprit, owner, projectId, newAddress());
    const person = await signInAs(culprit, made.email);
    expect((await owner.request('DELETE', `/v1/projects/${projectId}`)).status).toBe(200);
    expect(await accept(person, token)).toMatchObject(problem(400, 'invalid_token'));
  });
});
