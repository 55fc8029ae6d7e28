import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { relay } from '../src/fetch.ts';
import {
  captureException,
  close,
  flush,
  getDiagnostics,
  init,
  isEnabled,
  type NodeOptions,
  verifySetup,
} from '../src/index.ts';
import { moveClock, quiet, stopClock, until } from './support/moved-clock.ts';
import {
  type Answer,
  type RecordingEndpoint,
  startRecordingEndpoint,
  TEST_TOKEN,
} from './support/recording-endpoint.ts';

/** C-05, C-06 and C-55 of docs/contract/clients.md: what options and environment decide, and what misuse says. */

let endpoint: RecordingEndpoint;
let folder: string;
let lines: string[];
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  folder = mkdtempSync(join(tmpdir(), 'culprit-misuse-'));
  lines = [];
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  for (const name of ['NODE_ENV', 'CULPRIT_PROJECT_TOKEN', 'CULPRIT_ENDPOINT', 'CULPRIT_DSN'])
    vi.stubEnv(name, undefined);
});
afterEach(async () => {
  vi.useRealTimers();
  await close(0);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

function start(options: NodeOptions = {}): boolean {
  const capture = { requests: false, outgoing: false, console: 'off', warnings: false } as const;
  return init({ token: TEST_TOKEN, endpoint: endpoint.url, environment: 'production', capture, ...options });
}

/** Without what `start` adds. */
const bare = (options: NodeOptions = {}) =>
  init({ capture: { requests: false, outgoing: false }, ...options });

describe('an address', () => {
  it.each(['', '/v1', '/x/v1/events', '/prefix/ingest'])(
    '%j is completed, and the configuration stands beside it',
    async (path) => {
      start({ endpoint: endpoint.url + path });
      captureException(new Error('x'));
      await flush();
      const events = path === '' || path === '/v1' ? '/v1/events' : path;
      const config =
        path.includes('events') || path.length < 4 ? events.replace(/events$/, 'sdk/config') : null;
      await until(() => endpoint.arrivals.length >= 2);
      const arrived = endpoint.arrivals.map(({ method, path: at }) => `${method} ${at}`);
      expect(arrived).toContain(`POST ${events}`);
      if (config !== null) expect(arrived).toContain(`GET ${config}`);
    },
  );

  it('of a DSN holds the token too, and separate options win', async () => {
    const dsn = `${endpoint.url.replace('://', `://${TEST_TOKEN}@`)}/x`;
    bare({ dsn, environment: 'production' });
    captureException(new Error('x'));
    await flush();
    expect(endpoint.arrivals.filter(({ method }) => method === 'POST')).toMatchObject([
      { path: '/x/v1/events', headers: { authorization: `Bearer ${TEST_TOKEN}` } },
    ]);
    await close();
    const other = `svc_proj_${'b'.repeat(43)}`;
    vi.stubEnv('CULPRIT_DSN', dsn);
    bare({ token: other, environment: 'production' });
    await until(() => endpoint.arrivals.some(({ headers }) => headers.authorization === `Bearer ${other}`));
  });
});

describe('the environment', () => {
  it.each([
    ['production', {}, TEST_TOKEN, 'connected'],
    ['development', {}, undefined, 'local'],
    ['staging', { NODE_ENV: 'staging' }, TEST_TOKEN, 'connected'],
    ['test', { NODE_ENV: 'staging', CULPRIT_ENVIRONMENT: 'test' }, TEST_TOKEN, 'connected'],
  ] as const)('is %s with %j and token %s: %s', async (environment, env, token, mode) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    let seen: unknown;
    const beforeSend = <Event extends { service: { environment: string } }>(event: Event) => {
      seen = event.service.environment;
      return event;
    };
    expect(bare({ token, endpoint: endpoint.url, beforeSend })).toBe(true);
    captureException(new Error('x'));
    expect([seen, getDiagnostics().mode]).toEqual([environment, mode]);
  });

  it('switches everything off', () => {
    vi.stubEnv('CULPRIT_ENABLED', 'false');
    expect(start()).toBe(false);
    expect(isEnabled()).toBe(false);
    expect(start({ enabled: true })).toBe(true);
  });
});

/** What is told at `init`. */
const AT_START: [code: string, options: NodeOptions, isStarted: boolean, says: RegExp][] = [
  ['a member token', { token: `svc_mem_${'m'.repeat(43)}` }, false, /create a project token/i],
  ['a token of another shape', { token: 'secret-token' }, true, /create a project token/i],
  ['no token', { token: '' }, false, /CULPRIT_PROJECT_TOKEN/],
  ['no endpoint', { endpoint: '' }, false, /CULPRIT_ENDPOINT/],
  ['an endpoint that is no address', { endpoint: 'ftp://x.example' }, false, /CULPRIT_ENDPOINT/],
  ['an address without encryption', { endpoint: 'http://culprit.invalid' }, true, /https/],
  ['files although there is a token', { environment: 'development' }, true, /mode: 'connected'/],
];

describe('misuse at the start', () => {
  it.each(AT_START)('%s gives one line that says what to do', (_what, options, isStarted, says) => {
    const codes: string[] = [];
    expect(start({ onDiagnostic: ({ code }) => codes.push(code), ...options })).toBe(isStarted);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\[culprit\] .+[.!]\n$/);
    expect(lines[0]).toMatch(says);
    expect(lines[0]).not.toMatch(/m{20}|secret-token|a{20}/);
    expect(codes).toHaveLength(1);
    expect(captureException(new Error('x')) === null).toBe(!isStarted);
    expect(isEnabled()).toBe(isStarted);
    if (!isStarted) expect(getDiagnostics()).toMatchObject({ state: 'disabled', captured: 0 });
  });

  it('has one line where nothing chose files, and none where a developer did', async () => {
    bare();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(join(folder, '.culprit/local/events'));
    expect(lines[0]).toContain('CULPRIT_PROJECT_TOKEN');
    await close(0);
    vi.stubEnv('NODE_ENV', 'development');
    bare();
    expect(lines).toHaveLength(1);
  });

  it('has the same line for a relay without a client', async () => {
    vi.stubEnv('CULPRIT_ENABLED', 'false');
    await relay()(new Request('http://127.0.0.1/culprit/browser', { method: 'POST' }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('CULPRIT_PROJECT_TOKEN');
  });

  it('is quiet in production about an unknown option and a second init, and names both elsewhere', () => {
    const unknown: NodeOptions = JSON.parse('{"enviroment":"x"}');
    start(unknown);
    start();
    expect(lines).toEqual([]);
    expect(getDiagnostics().state).toBe('healthy');
    return close(0).then(() => {
      start({ ...unknown, environment: 'staging' });
      start();
      start();
      expect(lines).toEqual([
        expect.stringContaining('Did you mean environment?'),
        expect.stringContaining('init was called before'),
      ]);
    });
  });
});

/** What the first answers to a batch are, and what becomes of the client. */
const ANSWERS: [what: string, answers: Answer[], says: RegExp][] = [
  ['a 403', [{ status: 403 }], /without allowed origins/],
  ['a 404', [{ status: 404 }], /404.*endpoint/],
  ['a redirect', [{ status: 302, headers: { location: 'https://elsewhere.example/' } }], /302/],
  [
    'a page twice',
    Array.from({ length: 2 }, () => ({ status: 200, body: '<html>' })),
    /200.*Check the endpoint/,
  ],
];

describe('an endpoint that answers', () => {
  it.each(ANSWERS)('%s is told in one line, and the client is disconnected', async (_what, answers, says) => {
    stopClock();
    start();
    await until(() => getDiagnostics().policyPreset !== null);
    endpoint.answerWith(({ method }) => (method === 'POST' ? answers.shift() : undefined));
    captureException(new Error('x'));
    for (let step = 0; step < 20 && lines.length === 0; step++) {
      await moveClock(500);
      await quiet(5);
    }
    expect(lines).toEqual([expect.stringMatching(says)]);
    expect(lines[0]).not.toContain(TEST_TOKEN);
    expect(getDiagnostics().state).toBe('disconnected');
    // The address of a redirect is never asked.
    expect(endpoint.arrivals.every(({ path }) => path.startsWith('/v1/'))).toBe(true);
  });

  it('nothing for a minute is told once with the code, and events wait', async () => {
    stopClock();
    start({ spool: false });
    await until(() => getDiagnostics().policyPreset !== null);
    endpoint.answerWith(({ method }) => (method === 'POST' ? 'cut' : undefined));
    captureException(new Error('x'));
    for (let step = 0; step < 120 && lines.length === 0; step++) {
      await moveClock(2_500);
      await quiet(3);
    }
    expect(lines).toEqual([expect.stringMatching(/has not answered for a minute \(ECONNRESET\)/)]);
    expect(getDiagnostics()).toMatchObject({ state: 'disconnected', waiting: 1 });
  });
});

describe('local mode', () => {
  it('says once that its directory cannot be written, and lets events wait', async () => {
    writeFileSync(join(folder, 'file'), '');
    start({ mode: 'local', localDir: join(folder, 'file/events') });
    expect(await verifySetup()).toMatchObject({ ok: false, status: 500 });
    captureException(new Error('x'));
    expect(await flush(100)).toBe(false);
    expect(lines).toEqual([
      expect.stringMatching(/file\/events cannot be written \(E[A-Z]+\).*CULPRIT_LOCAL_DIR/),
    ]);
    expect(getDiagnostics().waiting).toBeGreaterThan(0);
  });

  it('refuses a directory that is not absolute and canonical', () => {
    expect(start({ mode: 'local', localDir: '../events' })).toBe(false);
    expect(lines).toHaveLength(1);
  });
});
