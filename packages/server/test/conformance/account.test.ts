import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { problem } from '../support/expect-problem.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { accept, allMailSent, invite, join, newAddress, type Person, signInAs } from '../support/people.ts';
import { type Answer, sendEvents, sendRequest } from '../support/send-events.ts';
import { requestCode as requestSignInCode, verifyCode } from '../support/sign-in.ts';
import { tablesWith } from '../support/tables-with.ts';
import { EX } from './incidents-fixtures.ts';

/** docs/contract/account.md 5 and 15: what somebody does with their account. */

const PHRASE = 'Delete my account';
const MINUTE_MS = 60_000;
const WRONG_CODE = { status: 400, body: { error: 'invalid_otp' } };

let culprit: TestCulprit;

beforeAll(async () => {
  culprit = await startCulprit({ duties: [] });
});
afterAll(() => culprit.stop());
beforeEach(() => moveClock(culprit.database, 0));

/** Somebody with an organization and a project of their own. */
async function newOwner(): Promise<Person & { project: TestProject }> {
  const email = newAddress('owner');
  const project = await culprit.createProject({ email });
  return { ...(await signInAs(culprit, email)), project };
}

const askForCode = (person: Person, text = PHRASE) =>
  person.request('POST', '/v1/account/delete/request-otp', { confirmation_text: text });

/** Asks for a deletion code and reads it in the mail. */
async function deletionCode(person: Person): Promise<string> {
  const seen = (await mailsTo(culprit.mailDirectory, person.email)).length;
  const answer = await askForCode(person);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return codeIn(await nextMail(culprit.mailDirectory, person.email, seen));
}

async function remove(person: Person, otp: string, text = PHRASE): Promise<Answer> {
  return await person.request('DELETE', '/v1/account', { confirmation_text: text, otp });
}

/** Another code than the given one. */
function otherThan(code: string): string {
  return code === '000000' ? '000001' : '000000';
}

describe('the code that deletes an account', () => {
  //
  it('is mailed to the owner who writes the phrase', async () => {
    const owner = await newOwner();
    for (const text of ['delete', 'delete my account', 'Delete my account ', '']) {
      expect(await askForCode(owner, text)).toMatchObject(problem(400, 'invalid_confirmation'));
    }
    for (const body of [{}, { confirmation_text: 1 }, { confirmation_text: PHRASE, otp: '000000' }]) {
      expect(await owner.request('POST', '/v1/account/delete/request-otp', body)).toMatchObject(
        problem(400, 'invalid_payload'),
      );
    }
    const code = await deletionCode(owner);
    expect(code).toMatch(/^\d{6}$/);
    const [mail] = (await mailsTo(culprit.mailDirectory, owner.email)).slice(-1);
    expect(mail?.subject).toBe('Code to delete your account on localhost:4800');
    expect(mail?.html).toContain(code);
  });

  it('is kept as an HMAC only', async () => {
    const owner = await newOwner();
    await deletionCode(owner);
    const kept = 'account_deletion_codes where user_id = $1 and length(code_hash) = 32 and attempts = 0';
    expect(await countRows(culprit, kept, [owner.userId])).toBe(1);
  });

  it('fails with any other code, and five wrong ones burn it', async () => {
    const owner = await newOwner();
    expect(await remove(owner, '000000')).toMatchObject(WRONG_CODE);
    const code = await deletionCode(owner);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await remove(owner, otherThan(code))).toMatchObject(WRONG_CODE);
    }
    expect(await remove(owner, code)).toMatchObject(WRONG_CODE);
    expect((await owner.request('GET', '/v1/auth/session')).status).toBe(200);
  });

  it('takes the fifth try when that is right', async () => {
    const owner = await newOwner();
    const code = await deletionCode(owner);
    for (let attempt = 0; attempt < 4; attempt += 1) await remove(owner, otherThan(code));
    expect((await remove(owner, code)).status).toBe(200);
  });

  it('lasts 10 minutes, to the millisecond', async () => {
    const atMs = Date.now();
    await holdClock(culprit.database, atMs);
    const inTime = await newOwner();
    const tooLate = await newOwner();
    const codes = [await deletionCode(inTime), await deletionCode(tooLate)];
    await holdClock(culprit.database, atMs + 10 * MINUTE_MS - 1);
    expect((await remove(inTime, codes[0] ?? '')).status).toBe(200);
    await holdClock(culprit.database, atMs + 10 * MINUTE_MS);
    expect(await remove(tooLate, codes[1] ?? '')).toMatchObject(WRONG_CODE);
  });

  it('is replaced by a newer one, which is mailed every 30 s at most, and five times an hour', async () => {
    const atMs = Date.now();
    await holdClock(culprit.database, atMs);
    const owner = await newOwner();
    const before = (await mailsTo(culprit.mailDirectory, owner.email)).length;
    const first = await deletionCode(owner);
    await holdClock(culprit.database, atMs + 29_999);
    // The same answer, and the code that was sent stays good.
    expect(await askForCode(owner)).toMatchObject({ status: 200, body: { success: true } });
    await holdClock(culprit.database, atMs + 30_000);
    const second = await deletionCode(owner);
    if (first !== second) expect(await remove(owner, first)).toMatchObject(WRONG_CODE);
    for (const minute of [1, 2, 3]) {
      await holdClock(culprit.database, atMs + minute * MINUTE_MS);
      await deletionCode(owner);
    }
    await holdClock(culprit.database, atMs + 59 * MINUTE_MS);
    expect((await askForCode(owner)).status).toBe(200);
    await allMailSent(culprit);
    expect(await mailsTo(culprit.mailDirectory, owner.email)).toHaveLength(before + 5);
    await holdClock(culprit.database, atMs + 60 * MINUTE_MS);
    expect((await remove(owner, await deletionCode(owner))).status).toBe(200);
  });

  it('is no sign-in code, and a sign-in code deletes nothing', async () => {
    const owner = await newOwner();
    const code = await deletionCode(owner);
    const signInCode = await requestSignInCode(culprit, owner.email);
    if (code !== signInCode) expect(await remove(owner, signInCode)).toMatchObject(WRONG_CODE);
    const answer = await verifyCode(culprit.url, owner.email, code);
    if (code !== signInCode) expect(answer).toMatchObject(problem(400, 'invalid_code'));
  });

  it('of one person deletes nobody else', async () => {
    const [one, two] = [await newOwner(), await newOwner()];
    const code = await deletionCode(one);
    await deletionCode(two).then(async (own) => {
      if (own !== code) expect(await remove(two, code)).toMatchObject(WRONG_CODE);
    });
    expect((await remove(one, code)).status).toBe(200);
  });
});

describe('deleting an account', () => {
  //
  it('asks for the phrase before it looks at the code', async () => {
    const owner = await newOwner();
    expect(await remove(owner, '000000', 'delete')).toMatchObject(problem(400, 'invalid_confirmation'));
    const code = await deletionCode(owner);
    expect(await remove(owner, code, 'delete')).toMatchObject(problem(400, 'invalid_confirmation'));
    expect(await remove(owner, otherThan(code))).toMatchObject(WRONG_CODE);
    for (const body of [
      {},
      { confirmation_text: PHRASE },
      { confirmation_text: PHRASE, otp: '12345' },
      { confirmation_text: PHRASE, otp: 123_456 },
      { confirmation_text: PHRASE, otp: '000000', reason: 'x' },
    ]) {
      expect(await owner.request('DELETE', '/v1/account', body)).toMatchObject(
        problem(400, 'invalid_payload'),
      );
    }
    expect((await remove(owner, code)).status).toBe(200);
  });

  //
  it('ends every credential, every project and every membership with the answer', async () => {
    const host = await newOwner();
    const owner = await newOwner();
    const secondProject = await culprit.createProject({ email: owner.email, name: 'second' });
    const secondBrowser = await signInAs(culprit, owner.email);
    const collaborator = await join(culprit, owner, owner.project.projectId, 'admin');
    const { token } = await invite(culprit, host, host.project.projectId, owner.email, 'admin');
    expect((await accept(owner, token)).status).toBe(200);
    await sendEvents(culprit.url, owner.project.projectToken, [EX()]);

    const code = await deletionCode(owner);
    const answer = await remove(owner, code);
    expect(answer.status).toBe(200);
    const { account } = isJsonObject(answer.body) ? answer.body : {};
    expect(account).toEqual({
      deleted_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      organization_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      deleted_project_ids: [owner.project.projectId, secondProject.projectId].sort(),
      user_deleted: true,
      deleted_member_token_count: 2,
    });
    expect(answer.headers.get('set-cookie')).toMatch(/^svc_session=;.*Max-Age=0/);

    for (const browser of [owner, secondBrowser]) {
      expect(await browser.request('GET', '/v1/auth/session')).toMatchObject(problem(401, 'invalid_session'));
      expect(await browser.request('GET', '/v1/projects')).toMatchObject(
        problem(401, 'invalid_member_token'),
      );
    }
    for (const project of [owner.project, secondProject]) {
      const { memberToken, projectToken, projectId } = project;
      expect(
        await sendRequest(`${culprit.url}/v1/projects`, { method: 'GET', token: memberToken }),
      ).toMatchObject(problem(401, 'invalid_member_token'));
      expect(await sendEvents(culprit.url, projectToken, [EX()])).toMatchObject(
        problem(401, 'invalid_project_token'),
      );
      expect(await collaborator.request('GET', `/v1/projects/${projectId}`)).toMatchObject(
        problem(404, 'project_not_found'),
      );
    }
    expect(await collaborator.request('GET', '/v1/auth/session')).toMatchObject({ status: 200 });
    expect(await remove(secondBrowser, code)).toMatchObject(problem(401, 'invalid_session'));
    const members = await host.request('GET', `/v1/projects/${host.project.projectId}/members`);
    expect(JSON.stringify(members.body)).not.toContain(owner.userId);
    const trail = `audit_log where action = 'account.deleted' and actor_user_id = $1`;
    expect(await countRows(culprit, trail, [owner.userId])).toBe(1);
  });

  it('leaves the address free, and nothing of the person but ids in the trail', async () => {
    const host = await newOwner();
    const owner = await newOwner();
    const { token } = await invite(culprit, host, host.project.projectId, owner.email);
    await accept(owner, token);
    await owner.request('GET', '/v1/account/export');
    expect((await remove(owner, await deletionCode(owner))).status).toBe(200);
    await allMailSent(culprit);
    expect(await tablesWith(culprit, owner.email)).toEqual([]);
    expect(await tablesWith(culprit, owner.userId)).toEqual(['audit_log']);

    const again = await signInAs(culprit, owner.email);
    expect(again.userId).not.toBe(owner.userId);
    expect(await again.request('GET', '/v1/projects')).toMatchObject({ status: 200, body: { projects: [] } });
  });

  it('is refused while the person owns a project of another organization, and keeps the code', async () => {
    const host = await newOwner();
    const owner = await newOwner();
    const setRole = async (role: string) =>
      await culprit.database.query(
        {
          name: 'test-own-elsewhere',
          text: `insert into project_members (project_id, user_id, role) values ($1, $2, $3)
            on conflict (project_id, user_id) do update set role = excluded.role`,
        },
        [parseId(['proj'], host.project.projectId), owner.userId, role],
      );
    await setRole('owner');
    const code = await deletionCode(owner);
    expect(await remove(owner, code)).toMatchObject(problem(409, 'other_owned_projects_exist'));
    expect((await owner.request('GET', `/v1/projects/${owner.project.projectId}`)).status).toBe(200);
    await setRole('member');
    expect((await remove(owner, code)).status).toBe(200);
    expect((await host.request('GET', `/v1/projects/${host.project.projectId}`)).status).toBe(200);
  });

  it('happens once, however many ask at the same moment', async () => {
    const owner = await newOwner();
    const code = await deletionCode(owner);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => remove(owner, code)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => [200, 400, 401, 403].includes(status))).toBe(true);
  });

  it('is for owners of an organization, by their session and with the CSRF token', async () => {
    const owner = await newOwner();
    const collaborator = await join(culprit, owner, owner.project.projectId, 'admin');
    const forbidden = problem(403, 'forbidden');
    expect(await askForCode(collaborator)).toMatchObject(forbidden);
    expect(await remove(collaborator, '000000')).toMatchObject(forbidden);
    expect(await collaborator.request('GET', '/v1/account/export')).toMatchObject(forbidden);
    // The phrase is part of the body, which comes before the role.
    expect(await askForCode(collaborator, 'x')).toMatchObject(problem(400, 'invalid_confirmation'));

    const calls: [string, string, object?][] = [
      ['POST', '/v1/account/delete/request-otp', { confirmation_text: PHRASE }],
      ['DELETE', '/v1/account', { confirmation_text: PHRASE, otp: '000000' }],
      ['GET', '/v1/account/export'],
    ];
    for (const [method, path, body] of calls) {
      const request = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      for (const token of [owner.project.memberToken, owner.project.projectToken, null]) {
        expect(await sendRequest(culprit.url + path, { ...request, token })).toMatchObject(
          problem(401, 'invalid_session'),
        );
      }
      const cookie = owner.headers.cookie ?? '';
      const byCookie = await sendRequest(culprit.url + path, { ...request, headers: { cookie } });
      expect(byCookie).toMatchObject(method === 'GET' ? { status: 200 } : problem(403, 'invalid_csrf_token'));
    }
  });

  it('has no avatar to delete', async () => {
    const owner = await newOwner();
    expect(await owner.request('GET', '/v1/account/avatar')).toMatchObject(problem(404, 'not_found'));
  });
});

describe('limits around an account', () => {
  it('count deletion codes, deletions and acceptances with the other sign-in requests of a client', async () => {
    const slow = await startCulprit({ duties: [], signIn: { requestsPerMinute: 12 } });
    try {
      const email = newAddress('owner');
      await slow.createProject({ email });
      // Asking for the sign-in code and verifying it take two.
      const owner = await signInAs(slow, email);
      const calls = [
        () => accept(owner, 'x'),
        () => askForCode(owner),
        () => remove(owner, '000000'),
        () => owner.request('POST', '/v1/auth/accept-invite', { token: 'x' }),
      ];
      const statuses = [];
      for (let index = 0; index < 10; index += 1) statuses.push((await calls[index % 4]?.())?.status);
      expect(statuses).toEqual([400, 200, 400, 400, 400, 200, 400, 400, 400, 200]);
      for (const call of calls) {
        const answer = await call();
        expect(answer).toMatchObject(problem(429, 'rate_limited'));
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      }
    } finally {
      await slow.stop();
    }
  });
});
