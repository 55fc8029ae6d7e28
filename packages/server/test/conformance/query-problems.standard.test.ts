import { api } from '@culprit/contract/endpoints/api';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { oidcSettingsFor } from '../support/oidc-client.ts';
import { type SignedInBrowser, signInByMail } from '../support/sign-in.ts';

/** What `X-Service-Problem` says of queries and path ids, at every endpoint (docs/contract/account.md 0). */

const ID = '00000000-0000-4000-8000-000000000000';
/** Wrong for parameters of some kinds; free text takes most of them. */
const ODD_VALUES = ['!', '-1', '2026-13-01T00:00:00Z', 'x'.repeat(5000)];

let culprit: TestCulprit;
let project: TestProject;
let browser: SignedInBrowser;

beforeAll(async () => {
  culprit = await startCulprit({
    github: {
      clientId: 'client',
      clientSecret: new Secret('secret'),
      url: 'https://github.invalid',
      apiUrl: 'https://api.github.invalid',
      isExchangeOn: true,
      exchangeClients: [],
      requestTimeoutMs: 1000,
    },
    oidc: oidcSettingsFor({
      issuer: 'https://id.invalid',
      clientId: 'client',
      clientSecret: 'secret',
    }),
  });
  project = await culprit.createProject();
  browser = await signInByMail(culprit, 'query@example.test');
});
afterAll(() => culprit.stop());

interface Refusal {
  status: number;
  body: unknown;
  problem: string | null;
}

async function ask(endpoint: Endpoint, path: string): Promise<Refusal> {
  const token = endpoint.auth === 'project_token' ? project.projectToken : project.memberToken;
  const response = await fetch(culprit.url + path, {
    method: endpoint.method,
    redirect: 'manual',
    headers:
      endpoint.auth === 'session'
        ? { cookie: browser.cookie, 'x-csrf-token': browser.csrfToken }
        : { authorization: `Bearer ${token}` },
  });
  const body = response.status === 400 ? await response.json() : await response.body?.cancel();
  return { status: response.status, body, problem: response.headers.get('x-service-problem') };
}

function refusalOf(name: string): unknown {
  return {
    status: 400,
    body: { error: 'invalid_query' },
    problem: expect.stringMatching(new RegExp(`^${name}: [a-z][ -~]+$`)),
  };
}

function pathOf({ path }: Endpoint): string {
  return path.replace(':sha256', '0'.repeat(64)).replace(':part', '0').replaceAll(/:\w+/g, ID);
}

/** A value of each required parameter, so that one parameter at a time is wrong. */
function requiredOf({ query }: Endpoint): Map<string, string> {
  return new Map(
    (query?.required ?? []).map((name) => [name, name === 'id' || name.endsWith('_id') ? ID : '1']),
  );
}

function queryOf(parameters: Iterable<[string, string]>): string {
  return [...parameters].map(([name, value]) => `${name}=${value}`).join('&');
}

// The Slack callback answers everything with a redirect to the dashboard.
const withQuery = api.filter(
  ({ id, query }) => id !== 'finishSlackInstall' && Object.keys(query?.properties ?? {}).length > 0,
);
const strict = api.filter(
  (endpoint) => endpoint.ignoresUnknownQuery !== true && endpoint.id !== 'postEvents',
);

it('there are endpoints of each kind', () => {
  expect(withQuery.length).toBeGreaterThan(35);
  expect(strict.length).toBeGreaterThan(120);
});

describe('each parameter', () => {
  it.each(withQuery.map((endpoint) => [endpoint.id, endpoint] as const))(
    'of %s is named when it is wrong',
    async (_id, endpoint) => {
      const required = requiredOf(endpoint);
      for (const name of Object.keys(endpoint.query?.properties ?? {})) {
        const others = new Map(required);
        others.delete(name);
        const rest = others.size === 0 ? '' : `&${queryOf(others)}`;
        const wrong = [`${name}=`, name, `${name}=%00`, `${name}=%zz`, `${name}=a&${name}=a`];
        for (const query of wrong) {
          const refusal = await ask(endpoint, `${pathOf(endpoint)}?${query}${rest}`);
          expect([query, refusal]).toEqual([query, refusalOf(name)]);
        }
        if (required.has(name)) {
          expect(await ask(endpoint, `${pathOf(endpoint)}?${queryOf(others)}`)).toEqual({
            ...Object(refusalOf(name)),
            problem: `${name}: is missing`,
          });
        }
        for (const value of ODD_VALUES) {
          const { body, problem } = await ask(endpoint, `${pathOf(endpoint)}?${name}=${value}${rest}`);
          const isRefused = JSON.stringify(body) === '{"error":"invalid_query"}';
          if (isRefused)
            expect([value, problem]).toEqual([value, expect.stringMatching(`^${name}: |^code: is missing$`)]);
        }
      }
    },
  );
});

describe('an unknown parameter', () => {
  it.each(strict.map((endpoint) => [endpoint.id, endpoint] as const))(
    'of %s is named',
    async (_id, endpoint) => {
      const body = endpoint.body;
      // Of endpoints that read a body, the query is judged first all the same.
      const refusal = await ask(endpoint, `${pathOf(endpoint)}?no_such%C3%A9%0A=1`);
      expect([body === undefined, refusal]).toEqual([body === undefined, refusalOf('no_such%C3%A9%0A')]);
    },
  );
});

describe('a malformed id', () => {
  it.each(
    api.filter(({ params }) => params !== undefined).map((endpoint) => [endpoint.id, endpoint] as const),
  )('in the path of %s is named', async (_id, endpoint) => {
    for (const name of Object.keys(endpoint.params?.properties ?? {})) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, (_, each) => (each === name ? 'a%20b' : ID));
      const { status, problem } = await ask(endpoint, path);
      // A few ids are any text, and unknown when they are none of ours.
      if (status !== 404) {
        expect([name, status, problem]).toEqual([name, 400, `${name}: does not have the required form`]);
      }
    }
  });
});

describe('two times that are no span', () => {
  it.each([
    ['/v1/projects/:id/occurrences', 399],
    ['/v1/projects/:id/event-fates', 31],
  ])('of %s are refused', async (path, days) => {
    const url = culprit.url + path.replace(':id', project.projectId);
    for (const from of ['2026-03-25T10:00:00Z', '2000-01-01T00:00:00Z']) {
      const response = await fetch(`${url}?from=${from}&to=2026-03-24T10:00:00Z`, {
        headers: { authorization: `Bearer ${project.memberToken}` },
      });
      expect(await response.json()).toEqual({ error: 'invalid_query' });
      expect(response.headers.get('x-service-problem')).toBe(
        `from: must be before to, by at most ${days} days`,
      );
    }
  });
});
