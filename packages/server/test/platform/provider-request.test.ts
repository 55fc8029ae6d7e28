import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ProviderAnswer,
  ProviderUnavailableError,
  requestProvider,
} from '../../src/platform/outbound/provider-request.ts';
import { type GithubMode, type GithubServer, startGithubServer } from '../support/github-server.ts';

const CANARY = 'gho_canary0000000000000000000000000000';

let github: GithubServer;

beforeAll(async () => {
  github = await startGithubServer();
});
afterAll(() => github?.close());

function ask(path: string, timeoutMs = 5_000): Promise<ProviderAnswer> {
  const headers = { authorization: `Bearer ${CANARY}` };
  return requestProvider({ url: github.url + path, method: 'GET', headers }, timeoutMs);
}

describe('a request to a provider', () => {
  it.each([
    ['cut', 'connection_failed', 5_000],
    ['silent', 'timeout', 200],
    ['endless', 'answer_too_long', 5_000],
  ] satisfies [GithubMode, string, number][])(
    'ends when the server is %s, with a word that holds nothing of it',
    async (mode, word, timeoutMs) => {
      github.setMode(mode);
      const error = await ask('/api/v3/user', timeoutMs).catch((thrown: unknown) => thrown);
      github.setMode('up');
      expect(error).toBeInstanceOf(ProviderUnavailableError);
      expect(error).toMatchObject({ word });
      expect(error).not.toHaveProperty('cause');
      expect(JSON.stringify([error, String(error)])).not.toContain(CANARY);
    },
  );

  it('takes every status for an answer, and a body that is no JSON for none', async () => {
    expect(await ask('/api/v3/user')).toMatchObject({ status: 401, body: { message: 'Bad credentials' } });
    github.setMode('failing');
    expect(await ask('/api/v3/user')).toMatchObject({ status: 502, body: undefined });
    github.setMode('up');
  });

  it('follows no redirect', async () => {
    const query = new URLSearchParams({
      client_id: github.clientId,
      redirect_uri: `${github.url}/elsewhere`,
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    });
    expect((await ask(`/login/oauth/authorize?${query}`)).status).toBe(302);
    expect(github.requests).not.toContain('GET /elsewhere');
  });

  it('repeats only what is plainly a word', () => {
    expect(new ProviderUnavailableError('device_flow_disabled').word).toBe('device_flow_disabled');
    expect(new ProviderUnavailableError(`token ${CANARY}`).word).toBe('unknown_error');
    expect(new ProviderUnavailableError('a'.repeat(61)).word).toBe('unknown_error');
  });
});
