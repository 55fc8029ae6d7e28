import { parseDsn, projectNumber } from '@culprit/contract/events/dsn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import { LIVE_TOKENS_MAX } from '../../src/workspace/tokens/token-records.ts';
import { SELF_HOSTED, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import {
  authOf,
  envelope,
  errorEnvelope,
  newEventId,
  post,
  type SentryTarget,
  sentryTarget,
} from '../support/sentry-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { auditOfToken } from '../support/token-answers.ts';

/** docs/contract/foreign-protocols.md 2. */
describe('DSN keys', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let target: SentryTarget;
  beforeAll(async () => {
    culprit = await shareCulprit();
    project = await culprit.createProject();
    target = await sentryTarget(culprit, project);
  });
  afterAll(() => culprit.stop());

  const keyPath = () => `${target.keysPath}/${target.record.token_id}`;
  const send = (headers: Record<string, string> = {}) =>
    post(target.envelope, errorEnvelope(newEventId()), { ...authOf(target.key), ...headers });

  // F-01
  it('a new project has one live key, whose address is shown at any time', async () => {
    const { body } = await target.owner.get(target.keysPath);
    const number = projectNumber(project.projectId.replace('proj_', ''));
    const { host } = new URL(culprit.baseUrl);
    expect(body).toEqual({
      keys: [
        {
          token_id: expect.stringMatching(/^tok_[0-9a-f-]{36}$/),
          project_id: project.projectId,
          label: 'Default',
          public_key: target.key,
          dsn: `http://${target.key}@${host}/${number}`,
          addresses: {
            envelope: `${culprit.baseUrl}/api/${number}/envelope/`,
            security: `${culprit.baseUrl}/api/${number}/security/?sentry_key=${target.key}`,
            otlp_traces: `${culprit.baseUrl}/api/${number}/integration/otlp/v1/traces/`,
            otlp_logs: `${culprit.baseUrl}/api/${number}/integration/otlp/v1/logs/`,
            cron: `${culprit.baseUrl}/api/${number}/cron/<slug>/${target.key}/`,
          },
          allowed_origins: [],
          service_name: null,
          events_per_minute: null,
          created_at: expect.any(String),
          last_used_at: null,
          revoked_at: null,
        },
      ],
      next_cursor: null,
    });
    expect(projectNumber('01a222f8-f943-7787-8000-000000000000')).toBe('1795883071811');
    // It is no project token.
    const tokens = await target.owner.listProjectTokens(project.projectId);
    expect(tokens.map(({ label }) => label)).toEqual(['bootstrap']);
  });

  // F-08
  it('bootstrap names the address of the first key', async () => {
    const options = {
      email: `owner-${newEventId()}@example.test`,
      projectName: 'cart',
      baseUrl: 'https://errors.example/culprit',
      plans: SELF_HOSTED,
    };
    const first = await bootstrap(culprit.database, options);
    const again = await bootstrap(culprit.database, options);
    expect(again.dsn).toBe(first.dsn);
    expect(first.dsn).toMatch(/^https:\/\/[0-9a-f]{32}@errors\.example\/culprit\/\d+$/);
    expect(parseDsn(first.dsn)).toMatchObject({ baseUrl: 'https://errors.example/culprit' });
  });

  // F-05
  it('a key with origins takes what comes from them alone, from the next request on', async () => {
    expect((await send()).status).toBe(200);
    const patched = await target.owner.patch(keyPath(), { allowed_origins: ['https://SHOP.example:443/'] });
    expect(patched).toMatchObject({
      status: 200,
      body: { key: { allowed_origins: ['https://shop.example'], label: 'Default' } },
    });
    for (const origin of [undefined, 'null', 'https://evil.example', 'http://shop.example']) {
      const answer = await send(origin === undefined ? {} : { origin });
      expect(answer).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
      expect(answer.headers.get('x-sentry-rate-limits')).toContain('session');
    }
    const allowed = await send({ origin: 'https://shop.example' });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(allowed.headers.get('access-control-expose-headers')).toBe(
      'X-Sentry-Rate-Limits, X-Sentry-Error, Retry-After',
    );
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await target.owner.patch(keyPath(), { allowed_origins: [] })).status).toBe(200);
    expect((await send()).status).toBe(200);
  });

  // F-21
  it('a preflight is answered for any page', async () => {
    const answer = await post(target.envelope, null, { origin: 'https://any.example' }, 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      vary: 'Origin',
      'access-control-allow-origin': 'https://any.example',
      'access-control-allow-methods': 'POST, GET, OPTIONS',
      'access-control-allow-headers':
        'content-type, content-encoding, x-sentry-auth, authorization, sentry-trace, baggage, traceparent, x-requested-with',
      'access-control-max-age': '86400',
    });
  });

  it('names the service of events without one, from the next request on', async () => {
    const service = `checkout-${newEventId().slice(0, 8)}`;
    expect((await target.owner.patch(keyPath(), { service_name: ` ${service} ` })).status).toBe(200);
    // What is known of a key is two seconds old at most.
    await eventually(async () => {
      expect((await send()).status).toBe(200);
      const { body } = await target.owner.get(`/v1/services?project_id=${project.projectId}`);
      expect(JSON.stringify(body)).toContain(service);
    });
    const cleared = await target.owner.patch(keyPath(), { service_name: null });
    expect(cleared).toMatchObject({ status: 200, body: { key: { service_name: null } } });
  });

  // F-04
  it('a revoked key is refused with the next request, also on a connection that is kept', async () => {
    const { body } = await target.owner.post(target.keysPath, { label: 'old' });
    const { key } = body as { key: { token_id: string; public_key: string } };
    const sendWith = () => post(target.envelope, errorEnvelope(newEventId()), authOf(key.public_key));
    expect((await sendWith()).status).toBe(200);
    const path = `${target.keysPath}/${key.token_id}/revoke`;
    const revoked = await target.owner.post(path, {});
    expect(revoked).toMatchObject({ status: 200, body: { key: { revoked_at: expect.any(String) } } });
    expect(await sendWith()).toMatchObject({ status: 401, body: { error: 'key_unknown' } });
    expect(await target.owner.post(path, {})).toMatchObject({ body: revoked.body });
    const later = await post(target.envelope, envelope([]), authOf(key.public_key));
    expect(later.status).toBe(401);
    const audit = (await auditOfToken(culprit, key.token_id)) as { action: string }[];
    expect(audit.map(({ action }) => action)).toEqual(['dsn_key.created', 'dsn_key.revoked']);
  });

  it('a key is not one of the project tokens, nor the other way round', async () => {
    const tokens = `/v1/projects/${project.projectId}/tokens`;
    const asToken = await target.owner.post(`${tokens}/${target.record.token_id}/revoke`, {});
    expect(asToken).toMatchObject({ status: 404, body: { error: 'token_not_found' } });
    const [token] = await target.owner.listProjectTokens(project.projectId);
    for (const answer of [
      await target.owner.post(`${target.keysPath}/${token?.token_id}/revoke`, {}),
      await target.owner.patch(`${target.keysPath}/${token?.token_id}`, { label: 'x' }),
      await target.owner.patch(`${target.keysPath}/nobody`, { label: 'x' }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'dsn_key_not_found' } });
    }
  });

  it.each([
    ['a label of blanks', { label: '  ' }],
    ['an origin that is none', { label: 'x', allowed_origins: ['shop.example'] }],
    ['no events a minute', { label: 'x', events_per_minute: 0 }],
    ['a service without a name', { label: 'x', service_name: '' }],
    ['an unknown field', { label: 'x', kind: 'dsn' }],
  ])('%s is refused', async (_name, body) => {
    const answer = await target.owner.post(target.keysPath, body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
  });

  // F-07
  it('a project has fifty live keys at most, beside its tokens', async () => {
    const full = await culprit.createProject();
    const { owner, keysPath } = await sentryTarget(culprit, full);
    for (let made = 1; made < LIVE_TOKENS_MAX; made += 1) {
      expect((await owner.post(keysPath, { label: `key ${made}` })).status).toBe(201);
    }
    const answer = await owner.post(keysPath, { label: 'one more' });
    expect(answer).toMatchObject({ status: 409, body: { error: 'resource_limit_reached' } });
    const { body } = await owner.get(`${keysPath}?limit=100`);
    const { keys } = body as { keys: { created_at: string }[] };
    expect(keys).toHaveLength(LIVE_TOKENS_MAX);
    await owner.createProjectToken(full.projectId);
  });
});
