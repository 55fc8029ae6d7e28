import { getServer, ServerDescription } from '@culprit/contract/endpoints/server';
import { SERVER_FEATURES } from '@culprit/contract/endpoints/server-features';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';

/** `GET /v1/server` (docs/contract/server-additions.md S1). */
describe('the description of a server', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({
      hasWorker: false,
      appUrl: 'http://localhost:4801',
      signIn: { signup: 'invited', termsUrl: 'https://culprit.example/terms' },
      github: {
        clientId: 'client',
        clientSecret: new Secret('secret'),
        url: 'https://github.example',
        apiUrl: 'https://api.github.example',
        isExchangeOn: false,
        exchangeClients: [],
        requestTimeoutMs: 1000,
      },
    });
  });
  afterAll(() => culprit.stop());

  async function describeServer(headers: Record<string, string> = {}): Promise<JsonObject> {
    const response = await fetch(culprit.url + getServer.path, { headers });
    expect(response.status).toBe(200);
    const body: unknown = await response.json();
    expect(compileValidator(ServerDescription)(body)).toBe(true);
    if (!isJsonObject(body)) throw new Error('no description');
    return body;
  }

  it('says what the settings say, to anybody', async () => {
    const before = Date.now();
    const { time, ...description } = await describeServer();
    expect(description).toEqual({
      version: 'test',
      base_url: 'http://localhost:4800',
      app_url: 'http://localhost:4801',
      auth: {
        email: 'file',
        github: true,
        github_device: true,
        github_exchange: false,
        oidc: false,
        oidc_name: null,
        email_for: 'everyone',
      },
      signup: 'invited',
      terms_url: 'https://culprit.example/terms',
      slack: false,
      payment_provider: false,
      plan_source: 'config',
      plan_limits: 'off',
      packages: null,
      features: SERVER_FEATURES.filter((feature) => feature !== 'packages'),
    });
    expect(Date.parse(String(time))).toBeGreaterThanOrEqual(before);
  });

  // F-79
  it('names what it takes of other clients', async () => {
    const { features } = await describeServer();
    const taken = ['dsn_keys', 'sentry_intake', 'otlp_intake', 'browser_reports', 'heartbeats'];
    expect(features).toEqual(expect.arrayContaining(taken));
  });

  it('names mail in files and in the terminal only on the machine of the service', async () => {
    const { auth } = await describeServer({ 'x-forwarded-for': '203.0.113.7' });
    expect(auth).toMatchObject({ email: 'off', github: true });
  });

  it('refuses query parameters', async () => {
    const response = await fetch(`${culprit.url}${getServer.path}?verbose=1`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 'invalid_query' });
  });
});
