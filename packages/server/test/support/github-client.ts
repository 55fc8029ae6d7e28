import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { Secret } from '../../src/platform/secrets/secret.ts';
import type { GithubSettings } from '../../src/workspace/accounts/github/github-settings.ts';
import { type CookieBrowser, locationOf, openCookieBrowser } from './cookie-browser.ts';
import type { TestCulprit } from './culprit.ts';
import type { GithubServer } from './github-server.ts';
import { type Answer, sendRequest } from './send-events.ts';

/** Settings of a service that uses the server as its GitHub. */
export function settingsFor(github: GithubServer, changes: Partial<GithubSettings> = {}): GithubSettings {
  return {
    clientId: github.clientId,
    clientSecret: new Secret(github.clientSecret),
    url: github.url,
    apiUrl: github.apiUrl,
    isExchangeOn: true,
    exchangeClients: [],
    requestTimeoutMs: 1_000,
    ...changes,
  };
}

/** A person of GitHub with one primary, verified address. */
export function personWith(id: number, email: string) {
  return { id, emails: [{ email, primary: true, verified: true }] };
}

/** A browser that signs in with GitHub. It does not follow redirects by itself. */
export interface Browser extends CookieBrowser {
  /** Begins a sign-in; gives the page of GitHub it leads to. */
  start(query?: string): Promise<string>;
  /** Goes where GitHub sends it: to the service, whatever host the address names. */
  callback(location: string): Promise<Answer>;
  /** The whole way; gives where it ends. */
  signIn(as: number, query?: string): Promise<string>;
}

export function openBrowser(culprit: TestCulprit, github: GithubServer): Browser {
  const browser = openCookieBrowser(culprit.url);

  async function start(query = ''): Promise<string> {
    return locationOf(await browser.get(`/v1/auth/github/start${query}`));
  }

  async function callback(location: string): Promise<Answer> {
    const { pathname, search } = new URL(location);
    return await browser.get(pathname + search);
  }

  return {
    ...browser,
    start,
    callback,
    async signIn(as, query) {
      return locationOf(await callback(await github.visit(await start(query), { as })));
    },
  };
}

/** Calls of a device without a browser. */
export interface Device {
  start(): Promise<{ requestId: string; userCode: string }>;
  poll(requestId: string): Promise<Answer>;
  claim(requestId: string, label?: string): Promise<Answer>;
}

export function openDevice(culprit: TestCulprit): Device {
  const post = (path: string, body: object): Promise<Answer> =>
    sendRequest(`${culprit.url}/v1/auth/github/device/${path}`, { body: JSON.stringify(body) });
  return {
    async start() {
      const { status, body } = await post('start', { accepted_terms: true });
      if (status !== 200 || !isJsonObject(body))
        throw new Error(`answered ${status} ${JSON.stringify(body)}`);
      return { requestId: String(body.request_id), userCode: String(body.user_code) };
    },
    poll: (requestId) => post('poll', { request_id: requestId }),
    claim: (requestId, label = 'laptop') => post('claim', { request_id: requestId, label }),
  };
}

/** Exchanges a GitHub token. */
export async function exchange(
  culprit: TestCulprit,
  githubAccessToken: string,
  label = 'ci',
): Promise<Answer> {
  const body = { github_access_token: githubAccessToken, label, accepted_terms: true };
  return await sendRequest(`${culprit.url}/v1/auth/github/token/exchange`, { body: JSON.stringify(body) });
}

/** The plaintext of the token an answer made; throws for every other answer. */
export function plaintextIn({ status, body }: Answer): string {
  const token = isJsonObject(body) ? body.token : null;
  if (status !== 200 || !isJsonObject(token)) {
    throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  }
  return String(token.plaintext);
}
