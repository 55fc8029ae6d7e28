import { createHash, createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';
import { type RoleProcess, startApiProcess } from '../support/role-process.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import {
  addRule,
  bareId,
  EVENT,
  objectsAt,
  type ProbeClient,
  probeClient,
  setPreset,
} from './probe-client.ts';

/** `GET /v1/sdk/config`: docs/contract/ingestion.md 7. */

const ORIGIN = 'https://app.example.com';
const BALANCED = {
  preset: 'balanced',
  capture_logs: 'warning',
  capture_request_events: 'failures_only',
  capture_breadcrumbs: 'exception_only',
  capture_probe_events: 'buffer_only',
  immediate_client_error_statuses: [],
  immediate_client_error_path_rules: [],
};

let culprit: TestCulprit;
let second: RoleProcess;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
  second = await startApiProcess(culprit, { plans: HOSTED });
});
afterAll(async () => {
  await second.kill();
  await culprit.stop();
});
afterEach(() => moveClock(culprit.database, 0));

async function client(plan: 'free' | 'solo' | 'team' = 'team'): Promise<ProbeClient> {
  return probeClient(culprit, await culprit.createProject({ plan }));
}

const TOKEN_REFUSED = { status: 401, body: { error: 'invalid_project_token' } };
const ORIGIN_REFUSED = { status: 403, body: { error: 'origin_not_allowed' } };

describe('the configuration', () => {
  it('on a plan with probes has exactly the fields of the contract', async () => {
    const { config } = await client();
    expect(await config()).toMatchObject({ status: 200 });
    expect((await config()).body).toStrictEqual({
      probes_enabled: true,
      remote_probes_enabled: true,
      active_probes: [],
      poll_interval_ms: 60_000,
      capture_policy: BALANCED,
      capture_rules: [],
      trigger_token_key: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('on Free has neither probes nor a key, and asks for no polling', async () => {
    const { config } = await client('free');
    expect((await config()).body).toStrictEqual({
      probes_enabled: true,
      remote_probes_enabled: false,
      active_probes: [],
      poll_interval_ms: 0,
      capture_policy: {
        ...BALANCED,
        preset: 'minimal',
        capture_logs: 'error',
        capture_breadcrumbs: 'local_only',
      },
      capture_rules: [],
    });
  });

  it('has the key by which trigger tokens of the project are checked', async () => {
    const { config, activate } = await client();
    const other = await client();
    const keyOf = async (each: ProbeClient) => String(Object((await each.config()).body).trigger_token_key);
    const key = String(Object((await config()).body).trigger_token_key);
    const token = String(Object((await activate()).body).trigger_token);
    const [payload = '', signature] = token.slice('svc_probe_'.length).split('.');
    expect(createHmac('sha256', key).update(payload).digest('base64url')).toBe(signature);
    expect(await keyOf(other)).not.toBe(key);
  });

  it('has the rules in force, in the order of their evaluation, without counters and authors', async () => {
    const { config, project } = await client();
    const incident = { created_from_incident_id: 'inc_1', created_from_event_id: 'evt_1' };
    await addRule(culprit, project, { name: 'wide', matcher: { services: ['a'] }, ...incident });
    await addRule(culprit, project, { name: 'narrow', matcher: { error_name: 'TypeError' } });
    await addRule(culprit, project, { name: 'off', enabled: false, matcher: { services: ['b'] } });
    await addRule(culprit, project, { name: 'later', matcher: { services: ['c'] } });
    await culprit.database.query(
      {
        name: 'test-rule-hits',
        text: `update capture_rules set hit_count = 7, last_matched_at = culprit_now() where project_id = $1`,
      },
      [bareId(project)],
    );
    const rules = objectsAt(await config(), 'capture_rules');
    expect(rules.map((rule) => rule.name)).toEqual(['narrow', 'later', 'wide']);
    for (const rule of rules) {
      expect(rule).toMatchObject({
        project_id: project.projectId,
        hit_count: 0,
        last_matched_at: null,
        created_by_user_id: null,
        created_from_incident_id: null,
        created_from_event_id: null,
      });
    }
  });

  it('must not be kept by anybody but the caller', async () => {
    const { config, project } = await client();
    const first = await config({ headers: { origin: ORIGIN } });
    const tag = first.headers.get('etag') ?? '';
    const again = await config({ headers: { origin: ORIGIN, 'if-none-match': tag } });
    expect([first.status, again.status]).toEqual([200, 304]);
    for (const { headers } of [first, again]) {
      expect(headers.get('cache-control')).toBe('private, max-age=0, must-revalidate');
      expect(headers.get('vary')).toBe('Authorization, Origin');
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(headers.get('access-control-expose-headers')).toBe('ETag, Retry-After');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    const refused = await probeClient(culprit, project).config({ token: null });
    expect(refused.headers.get('cache-control')).toBe('no-store');
  });
});

describe('its tag', () => {
  it('is the hash of the bytes', async () => {
    const { project } = await client();
    const response = await fetch(`${culprit.url}/v1/sdk/config`, {
      headers: { authorization: `Bearer ${project.projectToken}` },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('etag')).toBe(`"${createHash('sha256').update(bytes).digest('base64url')}"`);
  });

  it('is the same in every process, and while nothing changes', async () => {
    const { activated, config } = await client();
    await activated();
    const tags = await Promise.all(
      [culprit.url, second.report, culprit.url].map(async (url) =>
        (await config({ url })).headers.get('etag'),
      ),
    );
    expect(new Set(tags).size).toBe(1);
  });

  it.each([
    ['alone', (tag: string) => tag],
    ['in a list', (tag: string) => `"x", ${tag}, "y"`],
    ['in its weak form', (tag: string) => `W/${tag}`],
    ['with an asterisk', () => '*'],
  ])('is answered 304 when it is named %s', async (_name, header) => {
    const { config } = await client();
    const tag = (await config()).headers.get('etag') ?? '';
    const answer = await config({ headers: { 'if-none-match': header(tag) } });
    expect(answer).toMatchObject({ status: 304, body: null });
    expect(answer.headers.get('etag')).toBe(tag);
    expect(answer.headers.get('content-type')).toBeNull();
    expect(answer.headers.get('content-length')).toBeNull();
  });

  it('changes with policy, rules, probes, plan, and the form of ids', async () => {
    const { activated, config, project } = await client();
    const seen = new Set<string>();
    const sees = async (headers?: Readonly<Record<string, string>>) => {
      const tag = (await config(headers === undefined ? {} : { headers })).headers.get('etag') ?? '';
      expect(seen.has(tag)).toBe(false);
      seen.add(tag);
    };
    await sees();
    await activated();
    await sees();
    await sees({ 'x-debugbundle-sdk': 'node' });
    await addRule(culprit, project, { name: 'r', matcher: { services: ['a'] } });
    await sees();
    await setPreset(culprit, project, 'minimal');
    await sees();
    await culprit.database.query(
      {
        name: 'test-plan-free',
        text: `update organizations set plan = 'free'
          where organization_id = (select organization_id from projects where project_id = $1)`,
      },
      [bareId(project)],
    );
    await sees();
  });

  it('of an older state brings the new one', async () => {
    const { activated, config } = await client();
    const tag = (await config()).headers.get('etag') ?? '';
    await activated();
    expect(await config({ headers: { 'if-none-match': tag } })).toMatchObject({
      status: 200,
      body: { poll_interval_ms: 15_000 },
    });
  });
});

describe('a pattern with wildcards', () => {
  it('goes to our own libraries alone where others would take it literally, by both ways', async () => {
    const { activated, config, project } = await client();
    for (const label_pattern of ['auth.*', 'db_*']) await activated({ label_pattern });
    const patternsOf = (probes: readonly Record<string, unknown>[]) =>
      probes.map(({ label_pattern }) => label_pattern);
    for (const [headers, patterns] of [
      [{ 'x-service-sdk': '@culprit/node' }, ['auth.*', 'db_*']],
      [{ 'x-debugbundle-sdk': '@debugbundle/sdk-node' }, ['auth.*']],
      [{ origin: ORIGIN }, ['auth.*']],
      [{}, ['auth.*']],
    ] as const) {
      expect(patternsOf(objectsAt(await config({ headers }), 'active_probes'))).toEqual(patterns);
      const { body } = await sendEvents(culprit.url, project.projectToken, [EVENT], headers);
      expect(patternsOf(Object(body).probe_directives.active_probes)).toEqual(patterns);
    }
  });
});

describe('the rules', () => {
  const SERVER: Record<string, string> = { 'x-debugbundle-sdk': '@debugbundle/sdk-node' };
  const BROWSER: Record<string, string> = { origin: ORIGIN };
  const OWN: Record<string, string> = { 'x-service-sdk': '@culprit/node' };

  async function names(config: ProbeClient['config'], headers: Record<string, string>): Promise<unknown[]> {
    return objectsAt(await config({ headers }), 'capture_rules').map(({ name }) => name);
  }

  it('name runtimes as a list, however they were given', async () => {
    const { config, project } = await client();
    await addRule(culprit, project, { name: 'one', matcher: { runtime: 'node' } });
    await addRule(culprit, project, { name: 'two', matcher: { runtime: ['go', 'ruby'] } });
    const rules = objectsAt(await config({ headers: SERVER }), 'capture_rules');
    expect(rules.map(({ matcher }) => matcher)).toEqual([{ runtime: ['go', 'ruby'] }, { runtime: ['node'] }]);
  });

  it('go only to libraries that decide them as the server does, and the server applies all', async () => {
    const { config, project } = await client();
    await addRule(culprit, project, {
      name: 'bots',
      matcher: { client_kind: 'bot', services: ['api-server'] },
    });
    await addRule(culprit, project, { name: 'resource', matcher: { resource_url: { host: 'cdn.example' } } });
    await addRule(culprit, project, {
      name: 'print',
      matcher: { fingerprint: { version: 'v2', value: 'f' } },
    });
    await addRule(culprit, project, { name: 'plain', matcher: { error_name: 'RangeError' } });
    expect(await names(config, SERVER)).toEqual(['plain']);
    expect(await names(config, {})).toEqual(['plain']);
    expect(await names(config, BROWSER)).toEqual(['resource', 'plain']);
    expect(await names(config, OWN)).toEqual(['print', 'resource', 'plain', 'bots']);
    const bot = { user_agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' };
    const answer = await sendEvents(
      culprit.url,
      project.projectToken,
      [EVENT, { ...EVENT, payload: { ...EVENT.payload, device: bot } }],
      SERVER,
    );
    expect(acknowledgement(answer).errors).toEqual([{ index: 1, reason: 'capture_rule_dropped' }]);
  });

  it('are left out after one that the library cannot judge and that would keep the event', async () => {
    const { config, project } = await client();
    await addRule(culprit, project, { name: 'wide', matcher: { services: ['api-server'] } });
    expect(await names(config, SERVER)).toEqual(['wide']);
    await addRule(culprit, project, { name: 'kept', action: 'demote', matcher: { bot_family: 'Googlebot' } });
    expect(await names(config, SERVER)).toEqual([]);
    expect(await names(config, OWN)).toEqual(['kept', 'wide']);
  });
});

describe('the query', () => {
  it('keeps probes for everybody and for what it names', async () => {
    const { activate, config } = await client();
    for (const [service, environment] of [
      ['*', '*'],
      ['web', '*'],
      ['*', 'staging'],
      ['web', 'staging'],
    ] as const) {
      await activate({
        label_pattern: `${service}.${environment}`.replaceAll('*', 'any'),
        service,
        environment,
      });
    }
    const labels = async (query: string) =>
      objectsAt(await config({ query }), 'active_probes').map((probe) => probe.label_pattern);
    expect(await labels('')).toEqual(['any.any', 'web.any', 'any.staging', 'web.staging']);
    expect(await labels('?service=web')).toEqual(['any.any', 'web.any', 'any.staging', 'web.staging']);
    expect(await labels('?service=api')).toEqual(['any.any', 'any.staging']);
    expect(await labels('?environment=staging&service=web')).toEqual([
      'any.any',
      'web.any',
      'any.staging',
      'web.staging',
    ]);
    expect(await labels('?service=web&environment=production')).toEqual(['any.any', 'web.any']);
  });

  it('leaves the pace of polling to the project: a probe of another service is coming up too', async () => {
    const { activate, config } = await client();
    await activate({ service: 'web' });
    expect((await config({ query: '?service=api' })).body).toMatchObject({
      active_probes: [],
      poll_interval_ms: 15_000,
    });
  });

  it.each(['?colour=red', '?service=a&service=b', '?service=', '?service', '?environment=%zz', '?token=x'])(
    '%s is refused, but only for a caller who may ask',
    async (query) => {
      const { config } = await client();
      expect(await config({ query })).toMatchObject({ status: 400, body: { error: 'invalid_query' } });
      expect(await config({ query, token: null })).toMatchObject(TOKEN_REFUSED);
    },
  );
});

describe('who may read it', () => {
  it('is no member, no beacon and nobody without a token', async () => {
    const { config, project } = await client();
    const { memberToken, projectToken } = project;
    for (const token of [null, memberToken, `${projectToken}x`, projectToken.slice(0, -1), 'svc_probe_x']) {
      const answer = await config({ token });
      expect(answer).toMatchObject(TOKEN_REFUSED);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(await config({ token: null, query: `?token=${projectToken}` })).toMatchObject(TOKEN_REFUSED);
    expect(
      await config({ token: null, headers: { authorization: `Basic ${btoa(`x:${projectToken}`)}` } }),
    ).toMatchObject(TOKEN_REFUSED);
    expect(await config({ token: null, headers: { authorization: `bEARER ${projectToken}` } })).toMatchObject(
      { status: 200 },
    );
  });

  it.each([
    ['a revoked token', 'update project_tokens set revoked_at = culprit_now() where token_hash = $1'],
    [
      'a token of a deleted project',
      `update projects set deleted_at = culprit_now()
        where project_id = (select project_id from project_tokens where token_hash = $1)`,
    ],
  ])('is not %s: never 304, on no process', async (_name, text) => {
    for (let round = 0; round < 50; round += 1) {
      const { config, project } = await client();
      const tag = (await config()).headers.get('etag') ?? '';
      const name = `test-end-token-${text.length}`;
      await culprit.database.query({ name, text }, [tokenHash(project.projectToken)]);
      for (const url of [second.report, culprit.url]) {
        for (const header of [tag, '*']) {
          expect(await config({ url, headers: { 'if-none-match': header } })).toMatchObject(TOKEN_REFUSED);
        }
      }
    }
  });

  it('is an allowed origin only, where the token has a list', async () => {
    const { config, project } = await client();
    const token = await culprit.createProjectToken(project.projectId, [ORIGIN, 'http://localhost:3000']);
    for (const origin of [ORIGIN, 'HTTPS://App.Example.COM:443/', 'http://localhost:3000']) {
      expect((await config({ token, headers: { origin } })).status).toBe(200);
    }
    const foreign = [
      'https://evil.example',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.example',
      'https://sub.app.example.com',
      'https://app.example.com@evil.example',
      'null',
      '*',
    ];
    for (const origin of foreign) {
      expect(await config({ token, headers: { origin, referer: ORIGIN } })).toMatchObject(ORIGIN_REFUSED);
      expect(await config({ token, headers: { origin, 'if-none-match': '*' } })).toMatchObject(
        ORIGIN_REFUSED,
      );
    }
    expect(await config({ token, headers: { referer: ORIGIN } })).toMatchObject(ORIGIN_REFUSED);
    expect(await config({ token, query: '?colour=red' })).toMatchObject(ORIGIN_REFUSED);
  });

  it('can read a refusal from a page of any origin, never with credentials', async () => {
    const { config, project } = await client();
    const token = await culprit.createProjectToken(project.projectId, [ORIGIN]);
    const evil = 'https://evil.example';
    for (const answer of [
      await config({ token: null, headers: { origin: evil } }),
      await config({ token, headers: { origin: evil } }),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(evil);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it('marks the token used, at most once a minute, and not when it is refused', async () => {
    const { config, project } = await client();
    const token = await culprit.createProjectToken(project.projectId, [ORIGIN]);
    const usedAt = async () => {
      const [row] = await culprit.database.query<{ last_used_at: number | null }>(
        { name: 'test-token-used', text: 'select last_used_at from project_tokens where token_hash = $1' },
        [tokenHash(token)],
      );
      return row?.last_used_at ?? null;
    };
    await config({ token, headers: { origin: 'https://evil.example' } });
    expect(await usedAt()).toBeNull();
    await config({ token, headers: { origin: ORIGIN } });
    const first = await usedAt();
    expect(first).not.toBeNull();
    await moveClock(culprit.database, 50_000);
    await config({ token, headers: { origin: ORIGIN } });
    expect(await usedAt()).toBe(first);
    await moveClock(culprit.database, 70_000);
    await config({ token, headers: { origin: ORIGIN } });
    expect(await usedAt()).toBeGreaterThan(first ?? 0);
  });

  it('takes nothing of the rate budget of events', async () => {
    const { config, directives } = await client('free');
    for (let i = 0; i < 70; i += 1) expect((await config()).status).toBe(200);
    expect(await directives()).toEqual([]);
  });
});

it('without its database the service says so, whoever asks', async () => {
  const unreachable = new URL(culprit.databaseUrl);
  unreachable.port = '1';
  const blind = await startApiProcess({ ...culprit, databaseUrl: unreachable.href }, { plans: HOSTED });
  try {
    const { config } = await client();
    for (const headers of [{}, { 'if-none-match': '*' }, { origin: ORIGIN }]) {
      const answer = await config({ url: blind.report, headers });
      expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('5');
    }
  } finally {
    await blind.kill();
  }
});
