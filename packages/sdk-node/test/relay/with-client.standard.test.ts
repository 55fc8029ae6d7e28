// Proves 47.
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { relay as fetchRelay } from '../../src/fetch.ts';
import { relayHandler } from '../../src/http.ts';
import { captureException, close, flush, getDiagnostics, init } from '../../src/index.ts';
import { GET, relay as nextRelay, OPTIONS, POST } from '../../src/next.ts';
import { isRelayTarget } from '../../src/relay/relay-paths.ts';
import { moveClock, quiet, stopClock, until } from '../support/moved-clock.ts';
import { type NodeHost, startNodeHost } from '../support/node-host.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from '../support/recording-endpoint.ts';

/** The relay with the client of `init`: C-43, C-52 and C-54 of docs/contract/clients.md, and the mount of Next.js. */

const KEY = '0123456789abcdef'.repeat(4);
const PATH = '/culprit/browser';

let endpoint: RecordingEndpoint;
let spoolDir: string;
const spooled = () => readdirSync(spoolDir, { recursive: true, encoding: 'utf8' });
let lines: string[];
let servers: NodeHost[];
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  endpoint.config.trigger_token_key = KEY;
  spoolDir = mkdtempSync(join(tmpdir(), 'culprit-relay-'));
  servers = [];
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(async () => {
  vi.useRealTimers();
  await close(0);
  for (const server of servers) await server.close();
  vi.restoreAllMocks();
  await endpoint.close();
  rmSync(spoolDir, { recursive: true });
});

async function started(capture: object = {}): Promise<void> {
  const facts = { service: 'shop', environment: 'production', spool: false };
  const quieter = { outgoing: false, console: 'off', ...capture } as const;
  init({ token: TEST_TOKEN, endpoint: endpoint.url, ...facts, capture: quieter });
  await until(() => getDiagnostics().policyPreset !== null);
}

/** A server with a relay, which answers 299 to everything else. */
async function relayOf(options: Parameters<typeof relayHandler>[0] = {}): Promise<string> {
  const relay = relayHandler({ spoolDir, ...options });
  const server = await startNodeHost((request, response) => {
    if (!relay(request, response)) response.writeHead(299).end();
  });
  servers.push(server);
  return server.url + PATH;
}

let sequence = 0;
const browserEvent = (more: object = {}) => ({
  event_id: crypto.randomUUID(),
  event_type: 'frontend_exception',
  occurred_at: new Date().toISOString(),
  schema_version: '2026-03-01',
  sdk_name: '@culprit/browser',
  sdk_version: '0.1.0',
  service: { name: 'page', environment: 'production', runtime: 'browser', framework: null },
  correlation: { request_id: null, trace_id: null, session_id: null, user_id_hash: null },
  payload: { name: 'TypeError', message: `broken ${sequence++}`, stack: null, handled: false },
  context: {},
  ...more,
});

function post(url: string, headers: Record<string, string> = {}, batch: object[] = [browserEvent()]) {
  const own = { 'Content-Type': 'application/json', Origin: new URL(url).origin };
  return fetch(url, { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify({ batch }) });
}

const directive = (more: object = {}) => ({
  activation_id: 'act_550e8400-e29b-41d4-a716-446655440000',
  label_pattern: 'cart.*',
  service: 'page',
  environment: 'production',
  expires_at: new Date(Date.now() + 60_000).toISOString(),
  ...more,
});

/** Every batch is answered with these directives. */
function direct(...directives: object[]): void {
  endpoint.answerWith(({ method, events }) =>
    method === 'POST'
      ? {
          status: 202,
          body: JSON.stringify({
            accepted: events.length,
            rejected: 0,
            errors: [],
            probe_directives: { active_probes: directives },
          }),
        }
      : undefined,
  );
}

function allowProbes(): void {
  const policy = endpoint.config.capture_policy;
  endpoint.config.capture_policy = { ...Object(policy), capture_probe_events: 'standalone_when_activated' };
}

function triggerToken(more: object = {}, key = KEY, prefix = 'svc_probe_'): string {
  const { expires_at, ...fields } = directive();
  const facts = { ...fields, service: '*', trigger_expires_at: expires_at, ...more };
  const payload = Buffer.from(JSON.stringify(facts)).toString('base64url');
  return `${prefix}${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`;
}

describe('the relay of a host with init', () => {
  it('sends with the token of the host, and its own failures are no events of the host', async () => {
    const url = await relayOf({ durable: false });
    await started();
    const event = browserEvent();
    expect(await (await post(url, {}, [event])).json()).toEqual({ accepted: 1, rejected: 0, errors: [] });
    const [batch] = endpoint.arrivals.filter(({ method }) => method === 'POST');
    expect(batch?.headers.authorization).toBe(`Bearer ${TEST_TOKEN}`);
    expect(batch?.events).toMatchObject([{ event_id: event.event_id, sdk_name: '@culprit/browser' }]);
    endpoint.answerWith(() => ({ status: 503 }));
    expect((await post(url)).status).toBe(500);
    endpoint.answerWith(() => undefined);
    await flush();
    // The service answers in this process too, and its 503 is a failure of this host.
    const paths = endpoint.events('request_event').map(({ payload }) => Object(payload).path);
    expect(paths).toEqual(['/v1/events']);
  });

  it('follows the host to another client', async () => {
    const url = await relayOf({ durable: false });
    await started();
    await post(url);
    await close();
    const other = await startRecordingEndpoint();
    init({ token: TEST_TOKEN, endpoint: other.url, environment: 'production', spool: false });
    expect((await post(url)).status).toBe(202);
    expect(other.events('frontend_exception')).toHaveLength(1);
    expect(endpoint.events('frontend_exception')).toHaveLength(1);
    await close();
    await other.close();
  });

  it('passes on probes that concern the page, while the policy of the host wants them', async () => {
    direct(
      directive(),
      directive({ label_pattern: 'other.service', service: 'billing' }),
      directive({ label_pattern: 'over', expires_at: '2020-01-01T00:00:00Z' }),
    );
    const url = await relayOf();
    await started();
    expect(await (await post(url)).json()).not.toHaveProperty('probe_directives');
    await close();
    allowProbes();
    await started();
    const { probe_directives } = Object(await (await post(url)).json());
    expect(probe_directives.active_probes).toMatchObject([{ label_pattern: 'cart.*' }]);
    expect(probe_directives.active_probes).toHaveLength(1);
  });

  it('checks the trigger token of a page, and adds its directive to the answer', async () => {
    allowProbes();
    const url = await relayOf();
    await started();
    const ask = async (token: string) =>
      Object(await (await post(url, { 'X-Service-Probe-Trigger': token })).json()).probe_directives;
    for (const prefix of ['svc_probe_', 'dbundle_probe_']) {
      expect(await ask(triggerToken({}, KEY, prefix))).toMatchObject({
        active_probes: [{ label_pattern: 'cart.*', activation_id: expect.stringContaining('550e8400') }],
      });
    }
    expect(await ask(triggerToken({}, 'another key'))).toBeUndefined();
    expect(await ask(triggerToken({ trigger_expires_at: '2020-01-01T00:00:00Z' }))).toBeUndefined();
    expect(await ask('svc_probe_rubbish')).toBeUndefined();
    expect(JSON.stringify(endpoint.arrivals.map(({ headers }) => headers))).not.toContain('svc_probe');
  });
});

describe('the relay without a client', () => {
  it('says once what is missing, and fails each call', async () => {
    const url = await relayOf({ mode: 'connected' });
    expect([(await post(url)).status, (await post(url)).status]).toEqual([500, 500]);
    expect(lines).toEqual([expect.stringMatching(/^\[culprit\] .*CULPRIT_PROJECT_TOKEN/)]);
  });
});

describe('the limit of a client address', () => {
  const statuses = async (url: string, forwarded: readonly string[]) => {
    const found: number[] = [];
    for (const value of forwarded) found.push((await post(url, { 'X-Forwarded-For': value }, [])).status);
    return found;
  };

  it('goes by the socket unless a proxy is trusted', async () => {
    await started();
    const url = await relayOf({ rateLimitPerMinute: 2 });
    expect(await statuses(url, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])).toEqual([202, 202, 429]);
  });

  it('goes by the right-most address behind one proxy, and by the /64 of IPv6', async () => {
    await started();
    const url = await relayOf({ rateLimitPerMinute: 2, trustProxy: 1 });
    const forged = ['1.1.1.1, 192.0.2.1', '2.2.2.2, 192.0.2.1', '3.3.3.3, 192.0.2.1', '192.0.2.1, 192.0.2.9'];
    expect(await statuses(url, forged)).toEqual([202, 202, 429, 202]);
    const neighbours = [
      '2001:db8:1:2::1',
      '[2001:db8:1:2:ffff::9]:443',
      '2001:db8:1:2::3',
      '2001:db8:1:3::1',
    ];
    expect(await statuses(url, neighbours)).toEqual([202, 202, 429, 202]);
  });

  it('goes by trusted blocks, and is shared with one line where there is no address', async () => {
    await started();
    const url = await relayOf({ rateLimitPerMinute: 1, trustProxy: ['127.0.0.0/8', '10.0.0.0/8'] });
    expect(await statuses(url, ['192.0.2.1, 10.1.2.3', '9.9.9.9, 192.0.2.1, 10.1.2.4', '192.0.2.2'])).toEqual(
      [202, 429, 202],
    );
    const relay = fetchRelay({ spoolDir, rateLimitPerMinute: 1 });
    const ask = () =>
      relay(
        new Request(`https://app.example.com${PATH}`, {
          method: 'POST',
          headers: {
            host: 'app.example.com',
            origin: 'https://app.example.com',
            'content-type': 'application/json',
          },
          body: '{"batch":[]}',
        }),
      );
    const found: number[] = [];
    for (let call = 0; call < 11; call++) found.push(Object(await ask()).status);
    expect(found).toEqual([...Array.from({ length: 10 }, () => 202), 429]);
    expect(lines).toEqual([expect.stringContaining('trustProxy')]);
  });
});

describe('the route of Next.js', () => {
  it('answers as the relay of any other server', async () => {
    await started();
    const headers = {
      host: 'app.example.com',
      origin: 'https://app.example.com',
      'content-type': 'application/json',
    };
    const ask = (method: string, body: string | null = null) =>
      new Request(`https://app.example.com${PATH}`, { method, headers, body });
    vi.spyOn(process, 'cwd').mockReturnValue(spoolDir);
    const accepted = await POST(ask('POST', JSON.stringify({ batch: [browserEvent()] })));
    expect(accepted).toMatchObject({ status: 202 });
    await until(() => endpoint.events('frontend_exception').length === 1);
    expect(readdirSync(join(spoolDir, '.culprit/local')).join()).toBe('browser-relay-spool');
    expect(await OPTIONS(ask('OPTIONS'))).toMatchObject({ status: 204 });
    const refused = await GET(ask('GET'));
    expect(refused).toMatchObject({ status: 405 });
    expect(refused.headers.get('allow')).toBe('POST, OPTIONS');
    const elsewhere = new Request(`https://app.example.com${PATH}`, {
      method: 'POST',
      headers: { ...headers, origin: 'https://evil.example' },
      body: '{}',
    });
    expect(await POST(elsewhere)).toMatchObject({ status: 403 });
    // A route of another file is known by its path from its first call on.
    const custom = nextRelay({ spoolDir });
    expect(isRelayTarget('/telemetry?x=1')).toBe(false);
    await custom(new Request('https://app.example.com/telemetry', { method: 'GET', headers }));
    expect(isRelayTarget('/telemetry?x=1')).toBe(true);
  });
});

describe('an hour without the service', () => {
  it('answers 202 to every call, and delivers each event once afterwards', { timeout: 120_000 }, async () => {
    const url = await relayOf({ rateLimitPerMinute: 1_000 });
    stopClock();
    // Never ahead of the clock of the file system.
    vi.setSystemTime(Date.now() - 3 * 3_600_000);
    await started({ requests: false });
    endpoint.answerWith(({ method }) => (method === 'POST' ? { status: 503 } : undefined));
    const events = Array.from({ length: 20 }, () => browserEvent());
    for (const event of events) {
      expect((await post(url, {}, [event])).status, lines.join()).toBe(202);
      await moveClock(180_000);
      await quiet(2);
    }
    expect(endpoint.events()).toEqual([]);
    expect(spooled().filter((name) => name.includes('.events.json'))).toHaveLength(20);
    endpoint.answerWith(() => undefined);
    // Steps are shorter than the timeout of a request.
    for (let step = 0; step < 400 && endpoint.events().length < 20; step++) {
      await moveClock(3_000);
      await quiet(5);
    }
    await quiet(50);
    const ids = endpoint.events().map(({ event_id }) => event_id);
    expect(ids.toSorted()).toEqual(events.map(({ event_id }) => event_id).toSorted());
    await until(() => spooled().filter((name) => name.endsWith('.delivered')).length === 20);
    // The next round finds nothing to send.
    await moveClock(600_000);
    await quiet();
    expect(endpoint.events()).toHaveLength(20);
    captureException(new Error('still alive'));
    await moveClock(300);
    await until(() => endpoint.events('backend_exception').length === 1);
  });
});
