// Proves 39.
import { SESSION_COOKIE } from '@culprit/contract/workspace/sign-in';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/workspace/accounts/create-session.ts';
import { addMember, createCollaborator } from '../support/collaborators.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { managementClient } from '../support/management-client.ts';
import { type RoleProcess, startApiProcess } from '../support/role-process.ts';
import { runSize } from '../support/run-size.ts';
import { sendEvents, sendRequest } from '../support/send-events.ts';
import { authOf, errorEnvelope, newEventId, post } from '../support/sentry-client.ts';

/**
 * docs/contract/reliability.md test 39: what one process ends or changes holds in another from the first request behind
 * the answer. Each round uses the credential at the second process first, so that anything it might keep of it is
 * there.
 */

/** Of each of the five kinds: 1,000 in all in the long lane. */
const ROUNDS = runSize('CULPRIT_TEST_ROUNDS', { standard: 50, long: 200 });

describe('with two API processes on one database', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let first: RoleProcess;
  let second: RoleProcess;
  let project: TestProject;
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
    [first, second] = await Promise.all([
      startApiProcess(culprit, { plans: SELF_HOSTED }),
      startApiProcess(culprit, { plans: SELF_HOSTED }),
    ]);
    project = await culprit.createProject();
  });
  afterAll(async () => {
    await Promise.all([first?.kill(), second?.kill()]);
    await culprit.stop();
  });

  /** What each round of a kind saw at the second process: before and behind the change at the first one. */
  async function seen(round: () => Promise<[before: number, after: number]>) {
    const counts: Record<string, number> = {};
    for (let i = 0; i < ROUNDS; i += 1) {
      const key = (await round()).join(' then ');
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  const at = (process: RoleProcess, memberToken: string) =>
    managementClient({ url: process.report }, memberToken);

  async function revokeMemberToken(): Promise<[number, number]> {
    const owner = at(first, project.memberToken);
    const { plaintext, token_id } = await owner.createMemberToken();
    const user = at(second, plaintext);
    const before = await user.get('/v1/projects');
    expect((await owner.post(`/v1/member/tokens/${token_id}/revoke`)).status).toBe(200);
    return [before.status, (await user.get('/v1/projects')).status];
  }

  async function revokeProjectToken(): Promise<[number, number]> {
    const owner = at(first, project.memberToken);
    const { plaintext, token_id } = await owner.createProjectToken(project.projectId);
    const before = await sendEvents(second.report, plaintext, []);
    const path = `/v1/projects/${project.projectId}/tokens/${token_id}/revoke`;
    expect((await owner.post(path)).status).toBe(200);
    return [before.status, (await sendEvents(second.report, plaintext, [])).status];
  }

  /** As the library of Sentry sends, with an event, so that the request needs the window. */
  async function revokeDsnKey(): Promise<[number, number]> {
    const owner = at(first, project.memberToken);
    const keys = `/v1/projects/${project.projectId}/dsn-keys`;
    const { body } = await owner.post(keys, { label: 'old' });
    const { key } = body as {
      key: { token_id: string; public_key: string; addresses: { envelope: string } };
    };
    const address = second.report + new URL(key.addresses.envelope).pathname;
    const send = async () =>
      (await post(address, errorEnvelope(newEventId()), authOf(key.public_key))).status;
    const before = await send();
    expect((await owner.post(`${keys}/${key.token_id}/revoke`)).status).toBe(200);
    return [before, await send()];
  }

  // F-04
  it('a key of a DSN that is revoked at one is refused by the other with the next request', async () => {
    for (let i = 0; i < 20; i += 1) expect(await revokeDsnKey()).toEqual([200, 401]);
  });

  it(`${5 * ROUNDS} revocations, changes of role, removals and logouts come late in none`, async () => {
    const changing = await createCollaborator(culprit, project, 'admin');
    let isAdmin = true;
    const leaving = await createCollaborator(culprit, project, 'member');
    const owner = at(first, project.memberToken);
    const members = `/v1/projects/${project.projectId}/members`;

    /** Down and up again in turn, so that both directions are looked at. */
    async function changeRole(): Promise<[number, number]> {
      const person = at(second, changing.memberToken);
      const before = await person.get(members);
      const role = isAdmin ? 'member' : 'admin';
      expect((await owner.patch(`${members}/${changing.userId}`, { role })).status).toBe(200);
      const after = await person.get(members);
      isAdmin = !isAdmin;
      return isAdmin ? [after.status, before.status] : [before.status, after.status];
    }

    async function remove(): Promise<[number, number]> {
      const person = at(second, leaving.memberToken);
      const path = `/v1/projects/${project.projectId}`;
      const before = await person.get(path);
      expect((await owner.delete(`${members}/${leaving.userId}`)).status).toBe(200);
      const after = await person.get(path);
      await addMember(culprit, project, leaving.userId, 'member');
      return [before.status, after.status];
    }

    expect(
      await Promise.all([
        seen(revokeMemberToken),
        seen(revokeProjectToken),
        seen(changeRole),
        seen(remove),
        seen(logOut),
      ]),
    ).toEqual([
      { '200 then 401': ROUNDS },
      { '202 then 401': ROUNDS },
      { '200 then 403': ROUNDS },
      { '200 then 404': ROUNDS },
      { '200 then 401': ROUNDS },
    ]);
  });

  async function logOut(): Promise<[number, number]> {
    const { organization_id } = await at(first, project.memberToken).readProject(project.projectId);
    const { secret } = await culprit.database.transaction((transaction) =>
      createSession(transaction, {
        userId: project.userId,
        organizationId: organization_id,
        presentedCookie: null,
      }),
    );
    const cookie = `${SESSION_COOKIE}=${secret.reveal()}`;
    const read = () => sendRequest(`${second.report}/v1/projects`, { method: 'GET', headers: { cookie } });
    const before = await read();
    const session = await sendRequest(`${second.report}/v1/auth/session`, {
      method: 'GET',
      headers: { cookie },
    });
    const record = isJsonObject(session.body) ? session.body.session : null;
    const csrfToken = isJsonObject(record) ? String(record.csrf_token) : '';
    const left = await sendRequest(`${first.report}/v1/auth/logout`, {
      headers: { cookie, 'x-csrf-token': csrfToken },
    });
    expect(left.status).toBe(200);
    return [before.status, (await read()).status];
  }
});
