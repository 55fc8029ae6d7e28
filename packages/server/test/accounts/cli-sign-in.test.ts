import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { beforeAll, describe, expect, it } from 'vitest';
import { approveProgram, postProgram, startProgram } from '../support/cli-sign-in-client.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { plaintextIn } from '../support/github-client.ts';
import { newAddress } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import type { SignedInBrowser } from '../support/sign-in.ts';

let culprit: TestCulprit;
let browser: SignedInBrowser;

beforeAll(async () => {
  culprit = await shareCulprit();
  browser = await culprit.signIn(newAddress('ada'));
});

async function stateOf(requestId: string): Promise<unknown> {
  const { body } = await postProgram(culprit, 'poll', { request_id: requestId });
  return isJsonObject(body) ? body.status : body;
}

const unknown = [404, { error: 'device_request_not_found' }];

describe('the sign-in of a program', () => {
  it('is pending until the person approves the code that both show, and ends with one token', async () => {
    const { body: started } = await postProgram(culprit, 'start', { label: 'laptop of Ada' });
    expect(started).toMatchObject({
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: 'http://localhost:4800/cli',
      interval_seconds: 2,
    });
    const { request_id: requestId, user_code: userCode } = isJsonObject(started) ? started : {};
    expect(await stateOf(String(requestId))).toBe('pending');
    const typed = String(userCode).toLowerCase().replace('-', ' ');
    const { body: offer } = await postProgram(culprit, 'read', { user_code: typed }, browser);
    expect(offer).toMatchObject({
      offer: { user_code: userCode, label: 'laptop of Ada', address_class: 'loopback_ipv4' },
    });
    await approveProgram(culprit, browser, typed);
    expect(await stateOf(String(requestId))).toBe('approved');
    const claims = await Promise.all(
      Array.from({ length: 3 }, () => postProgram(culprit, 'claim', { request_id: requestId })),
    );
    expect(claims.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [claim] = claims.filter(({ status }) => status === 200);
    if (claim === undefined) throw new Error('no claim succeeded');
    expect(claim.body).toMatchObject({ token: { label: 'laptop of Ada', access: 'full' } });
    const { status } = await sendRequest(`${culprit.url}/v1/member/tokens`, {
      method: 'GET',
      token: plaintextIn(claim),
    });
    expect(status).toBe(200);
    expect(await stateOf(String(requestId))).toBe('claimed');
  });

  it('gives a token that may only read when the person says so', async () => {
    const { requestId, userCode } = await startProgram(culprit);
    await approveProgram(culprit, browser, userCode, 'read');
    const claim = await postProgram(culprit, 'claim', { request_id: requestId });
    const { status } = await sendRequest(`${culprit.url}/v1/projects`, {
      token: plaintextIn(claim),
      body: JSON.stringify({ name: 'not mine to make' }),
    });
    expect(status).toBe(403);
  });

  it('gives none when the person refuses', async () => {
    const { requestId, userCode } = await startProgram(culprit);
    const { status } = await postProgram(culprit, 'deny', { user_code: userCode }, browser);
    expect(status).toBe(200);
    expect(await stateOf(requestId)).toBe('denied');
    const approval = await postProgram(culprit, 'approve', { user_code: userCode, access: 'full' }, browser);
    expect([approval.status, approval.body]).toEqual(unknown);
    const claim = await postProgram(culprit, 'claim', { request_id: requestId });
    expect([claim.status, claim.body]).toEqual([409, { error: 'device_request_not_claimable' }]);
  });

  it('needs a person: a code alone, or an approval without session or CSRF token, is worth nothing', async () => {
    const { requestId, userCode } = await startProgram(culprit);
    const body = { user_code: userCode, access: 'full' };
    expect((await postProgram(culprit, 'approve', body)).status).toBe(401);
    const forged = { ...browser, headers: { ...browser.headers, 'x-csrf-token': 'x'.repeat(43) } };
    expect((await postProgram(culprit, 'approve', body, forged)).status).toBe(403);
    expect(await stateOf(requestId)).toBe('pending');
    expect((await postProgram(culprit, 'claim', { request_id: requestId })).status).toBe(409);
  });

  it('is unknown by a wrong code or a wrong id, and by the code where the id is asked for', async () => {
    const { userCode } = await startProgram(culprit);
    for (const wrong of ['BBBB-BBBB', 'AEIO-UAEI', 'x', `${userCode}B`]) {
      const { status, body } = await postProgram(culprit, 'read', { user_code: wrong }, browser);
      expect([status, body]).toEqual(unknown);
    }
    const { status, body } = await postProgram(culprit, 'poll', { request_id: userCode });
    expect([status, body]).toEqual(unknown);
  });

  it('is stored with neither its id nor its code', async () => {
    const { requestId, userCode } = await startProgram(culprit);
    const [row] = await culprit.database.query<{ text: string }>({
      name: 'test-cli-rows',
      text: "select string_agg(c::text, E'\\n') as text from cli_sign_ins c",
    });
    for (const secret of [requestId, userCode, userCode.replace('-', '')])
      expect(row?.text).not.toContain(secret);
  });

  it('expires after ten minutes, approved or not', async () => {
    const [waiting, approved] = [await startProgram(culprit), await startProgram(culprit)];
    await approveProgram(culprit, browser, approved.userCode);
    await culprit.database.query({
      name: 'test-age-programs',
      text: `update cli_sign_ins set expires_at = expires_at - interval '601 s' where status in ('pending', 'approved')`,
    });
    expect(await stateOf(waiting.requestId)).toBe('expired');
    expect(await stateOf(approved.requestId)).toBe('expired');
    expect((await postProgram(culprit, 'claim', { request_id: approved.requestId })).status).toBe(409);
    const late = await postProgram(culprit, 'read', { user_code: waiting.userCode }, browser);
    expect([late.status, late.body]).toEqual(unknown);
  });
});
