import { api } from '@culprit/contract/endpoints/api';
import { SESSION_COOKIE } from '@culprit/contract/workspace/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { createSession } from '../../src/workspace/accounts/create-session.ts';
import { tokenHash, tokenPreview } from '../../src/workspace/tokens/token.ts';
import { exchangeRaw } from '../platform/http/raw-http.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { managementClient } from '../support/management-client.ts';
import { sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/account.md 1.3 and 1.5: what is a credential where. */
describe('credentials', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  beforeAll(async () => {
    culprit = await shareCulprit();
    project = await culprit.createProject();
  });
  afterAll(() => culprit.stop());

  //
  it('a token has the hash and the preview of the vector', () => {
    const token = 'svc_proj_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg';
    expect(tokenHash(token).toString('hex')).toBe(
      'b952562d84b4b4548c3fa631e97242bbc1eac6527cbe731d44e262615245b33e',
    );
    expect(tokenPreview(token)).toBe('svc_...defg');
  });

  it('of two Authorization headers are none, even when both are good', async () => {
    const { hostname, port } = new URL(culprit.url);
    for (const [method, path, token, code] of [
      ['POST', '/v1/events', project.projectToken, 'invalid_project_token'],
      ['GET', '/v1/sdk/config', project.projectToken, 'invalid_project_token'],
      ['GET', '/v1/projects', project.memberToken, 'invalid_member_token'],
    ] as const) {
      const line = `Authorization: Bearer ${token}`;
      const head = [
        `${method} ${path} HTTP/1.1`,
        `Host: ${hostname}`,
        line,
        line,
        'Connection: close',
        '',
        '',
      ];
      const { answers } = await exchangeRaw(Number(port), [head.join('\r\n')]);
      expect(answers.map(({ status, body }) => [status, body])).toEqual([[401, `{"error":"${code}"}`]]);
    }
  });

  //
  it('a project token is none at any endpoint of members', async () => {
    const endpoints = api.filter(({ auth }) => auth === 'member');
    expect(endpoints.length).toBeGreaterThan(20);
    for (const { method, path } of endpoints) {
      for (const token of [project.projectToken, null]) {
        const url = culprit.url + path.replace(/:\w+/g, 'x');
        const answer = await sendRequest(url, { method, token });
        expect([method, path, answer.status, answer.body]).toEqual([
          method,
          path,
          401,
          { error: 'invalid_member_token' },
        ]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
  });

  //
  it('a member token and a session are none where a project token is asked for', async () => {
    const session = await culprit.database.transaction(async (transaction) =>
      createSession(transaction, {
        userId: project.userId,
        organizationId: newUuid(),
        presentedCookie: null,
      }),
    );
    const credentials = [
      { authorization: `Bearer ${project.memberToken}` },
      { cookie: `${SESSION_COOKIE}=${session.secret.reveal()}` },
    ];
    for (const headers of credentials) {
      const known = await sendRequest(`${culprit.url}/v1/projects`, { method: 'GET', headers });
      expect(known.status).toBe(200);
      for (const answer of [
        await sendRequest(`${culprit.url}/v1/events`, { headers, body: '{"events":[]}' }),
        await sendRequest(`${culprit.url}/v1/sdk/config`, { method: 'GET', headers }),
      ]) {
        expect([answer.status, answer.body]).toEqual([401, { error: 'invalid_project_token' }]);
      }
    }
  });

  //
  it('another version is no route, and a body over 256 KB is too large, once the caller is known', async () => {
    const unknown = await managementClient(culprit, project.memberToken).get('/v2/projects');
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'not_found' }]);
    const big = JSON.stringify({ label: 'x'.repeat(300_000) });
    const known = await sendRequest(`${culprit.url}/v1/member/tokens`, {
      token: project.memberToken,
      body: big,
    });
    expect([known.status, known.body]).toEqual([413, { error: 'payload_too_large' }]);
    const nobody = await sendRequest(`${culprit.url}/v1/member/tokens`, { body: big });
    expect([nobody.status, nobody.body]).toEqual([401, { error: 'invalid_member_token' }]);
  });
});
