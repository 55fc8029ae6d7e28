import { beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { authOf, envelope, type SentryTarget, post as send, sentryTarget } from '../support/sentry-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

const PAGE = 'https://shop.example/cart/17?token=abc';

/** docs/contract/foreign-protocols.md 9. */
describe('reports of browsers', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let target: SentryTarget;

  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  async function freshProject(): Promise<void> {
    client = await connect(culprit);
    target = await sentryTarget(culprit, client.project);
  }
  beforeAll(() => freshProject());

  async function post(path: string, type: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(culprit.url + path, {
      method: 'POST',
      headers: { 'content-type': type, 'user-agent': 'Mozilla/5.0 (X11) Chrome/153.0.0.0', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), headers: response.headers };
  }
  const security = (query = '') => `/api/${target.number}/security/?sentry_key=${target.key}${query}`;
  const csp = (own: object = {}) => ({
    'csp-report': {
      'document-uri': PAGE,
      'effective-directive': 'script-src-elem',
      'blocked-uri': 'https://cdn.evil.example/x.js?key=abc',
      disposition: 'enforce',
      ...own,
    },
  });
  const violation = (own: object = {}) => ({
    type: 'csp-violation',
    age: 100,
    url: PAGE,
    user_agent: 'Mozilla/5.0 (X11) Chrome/153.0.0.0',
    body: {
      documentURL: PAGE,
      effectiveDirective: 'script-src-elem',
      blockedURL: 'https://cdn.evil.example/x.js?key=abc',
      disposition: 'enforce',
      ...own,
    },
  });
  async function kinds(): Promise<Record<string, { taken: number; not_taken: number; over_limit: number }>> {
    const answer = await client.get(`/v1/projects/${client.project.projectId}/event-fates`);
    const { by_kind } = answer.body as {
      by_kind: { protocol: string; kind: string; taken: number; not_taken: number; over_limit: number }[];
    };
    return Object.fromEntries(
      by_kind
        .filter(({ protocol }) => protocol === 'report')
        .map(({ kind, taken, not_taken, over_limit }) => [kind, { taken, not_taken, over_limit }]),
    );
  }

  // F-70
  it('are one incident for each directive and host, in either form, without any query', async () => {
    await freshProject();
    const answers = [
      await post(security(), 'application/csp-report', csp()),
      await post(security('&sentry_environment=staging'), 'application/csp-report', csp()),
      await post(`/v1/reports?key=${target.key}&environment=qa`, 'application/reports+json', [
        violation(),
        violation({ effectiveDirective: 'img-src' }),
      ]),
      await post(
        `/api/${target.number}/csp-report?sentry_key=${target.key}&sentry_environment=dev`,
        'application/json; charset=utf-8',
        csp(),
      ),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [200, {}]));
    await client.processed();
    const found = await client.counted(1, 1, 1, 1, 1);
    expect(found.map(({ environment, title }) => `${environment} ${title}`).sort()).toEqual([
      'dev CSP blocked script-src-elem: cdn.evil.example',
      'production CSP blocked script-src-elem: cdn.evil.example',
      'qa CSP blocked img-src: cdn.evil.example',
      'qa CSP blocked script-src-elem: cdn.evil.example',
      'staging CSP blocked script-src-elem: cdn.evil.example',
    ]);
    const [first] = found;
    expect(first?.source_trust).toBe('browser');
    const bundle = JSON.stringify(await client.bundle(first?.incident_id ?? ''));
    expect(bundle).toContain('/cart/17');
    expect(bundle).not.toMatch(/token=abc|key=abc/);
  });

  // F-71
  it('of extensions are counted alone, and 1,000 equal ones of a minute are one event', async () => {
    await freshProject();
    await post(security(), 'application/csp-report', csp({ 'blocked-uri': 'chrome-extension://a/b.js' }));
    for (let batch = 0; batch < 20; batch += 1) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => post(security(), 'application/csp-report', csp())),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
    await client.processed();
    const [incident, ...others] = await client.list({ project_id: client.project.projectId });
    expect(others).toEqual([]);
    // Requests that came together were all stored.
    expect(incident?.occurrence_count).toBeLessThanOrEqual(59);
    await expect
      .poll(async () => await kinds(), { timeout: 10_000 })
      .toEqual({
        'csp-violation': { taken: 59, not_taken: 1, over_limit: 0 },
        request: { taken: 0, not_taken: 0, over_limit: 941 },
      });
    const later = await post(security(), 'application/csp-report', csp());
    expect(later.status).toBe(200);
  });

  it('that a proxy sends on in an envelope are the same incident, and those of certificates are counted alone', async () => {
    await freshProject();
    await post(security('&sentry_environment=staging'), 'application/csp-report', csp());
    await client.only(1);
    const named = { sentry_environment: 'staging', sentry_release: 'web@2' };
    const asEvent = {
      type: 'csp',
      environment: 'staging',
      csp: {
        document_uri: PAGE.replace('/17', '/18'),
        effective_directive: 'script-src-elem',
        blocked_uri: 'https://cdn.evil.example/y.js?key=abc',
      },
    };
    const items = [
      { type: 'raw_security', payload: csp({ 'document-uri': PAGE.replace('/17', '/19') }), header: named },
      { type: 'raw_security', payload: [violation({ blockedURL: 'chrome-extension' })] },
      { type: 'security', payload: asEvent },
      { type: 'security', payload: { type: 'hpkp', hpkp: { hostname: 'shop.example' } } },
      { type: 'raw_security', payload: { 'expect-ct-report': { hostname: 'shop.example' } } },
      { type: 'raw_security', payload: 'no report' },
    ];
    const answer = await send(target.envelope, envelope(items), authOf(target.key));
    expect(answer).toMatchObject({
      status: 200,
      body: { rejected: [{ item: 5, type: 'raw_security', reason: 'invalid_event' }] },
    });
    const incident = await client.only(3);
    expect(incident.title).toBe('CSP blocked script-src-elem: cdn.evil.example');
    const bundle = JSON.stringify(await client.bundle(incident.incident_id));
    expect(bundle).not.toMatch(/token=abc|key=abc/);
    const sums = async () => {
      const { body } = await client.get(`/v1/projects/${client.project.projectId}/event-fates`);
      const { by_kind } = body as { by_kind: { kind: string; taken: number; not_taken: number }[] };
      return Object.fromEntries(by_kind.map(({ kind, taken, not_taken }) => [kind, [taken, not_taken]]));
    };
    await expect.poll(sums, { timeout: 10_000 }).toMatchObject({ raw_security: [1, 3], security: [1, 1] });
  });

  // F-72
  it('of other types are taken, and unknown ones passed over', async () => {
    await freshProject();
    const own = (type: string, body: object) => ({ type, age: 1, url: PAGE, user_agent: 'x', body });
    const answer = await post(`/v1/reports?key=${target.key}`, 'application/reports+json', [
      own('network-error', { type: 'tcp.timed_out', phase: 'connection' }),
      own('network-error', { type: 'ok' }),
      own('crash', { reason: 'oom' }),
      own('deprecation', { id: 'UnloadHandler' }),
      own('from-the-future', { a: 1 }),
    ]);
    expect([answer.status, answer.body]).toEqual([200, {}]);
    await client.processed();
    const titles = (await client.counted(1, 1, 1)).map(({ title }) => title).sort();
    expect(titles).toEqual([
      'Network error connection tcp.timed_out: shop.example',
      'Page crashed: oom',
      'deprecation: UnloadHandler',
    ]);
  });

  // F-73
  it('without an origin have that of their page, where the key is bound to origins', async () => {
    await freshProject();
    await target.owner.patch(`${target.keysPath}/${target.record.token_id}`, {
      allowed_origins: ['https://shop.example'],
    });
    const status = async (body: unknown, headers?: Record<string, string>) =>
      (await post(security(), 'application/csp-report', body, headers)).status;
    expect(await status(csp())).toBe(200);
    expect(await status(csp({ 'document-uri': 'https://evil.example/x' }))).toBe(403);
    expect(await status(csp({ 'document-uri': 'about:blank' }))).toBe(403);
    expect(await status(csp(), { origin: 'https://shop.example' })).toBe(200);
    expect(await status(csp(), { origin: 'https://evil.example' })).toBe(403);
  });

  it('are refused where they are none, too large or without a key', async () => {
    const refused = async (path: string, type: string, body: unknown) => {
      const answer = await post(path, type, body);
      return [answer.status, answer.body.error];
    };
    expect(await refused(security(), 'text/plain', csp())).toEqual([415, 'invalid_content_type']);
    expect(await refused(security(), 'application/csp-report', '{')).toEqual([400, 'invalid_payload']);
    expect(await refused(security(), 'application/csp-report', {})).toEqual([400, 'invalid_payload']);
    const large = csp({ 'original-policy': 'a'.repeat(300_000) });
    expect(await refused(security(), 'application/csp-report', large)).toEqual([413, 'payload_too_large']);
    const deep = `{"csp-report":${'['.repeat(40)}${']'.repeat(40)}}`;
    expect(await refused(security(), 'application/csp-report', deep)).toEqual([400, 'invalid_payload']);
    expect(await refused('/v1/reports', 'application/reports+json', [])).toEqual([401, 'key_missing']);
    const unknown = `/v1/reports?key=${'0'.repeat(32)}`;
    expect(await refused(unknown, 'application/reports+json', [])).toEqual([401, 'key_unknown']);
    const token = `/v1/reports?key=${client.project.projectToken}`;
    expect(await refused(token, 'application/reports+json', [])).toEqual([401, 'project_token_in_dsn']);
    const wrong = `/api/77/security/?sentry_key=${target.key}`;
    expect(await refused(wrong, 'application/csp-report', csp())).toEqual([403, 'wrong_project_number']);
  });
});
