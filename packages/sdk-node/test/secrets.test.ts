import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  addBreadcrumb,
  announceDeploy,
  captureException,
  captureMessage,
  captureRequest,
  close,
  currentScope,
  flush,
  getDiagnostics,
  init,
  type NodeOptions,
  probe,
  setContext,
  setTag,
  setUser,
  withRequest,
} from '../src/index.ts';
import { until } from './support/moved-clock.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from './support/recording-endpoint.ts';

/** C-44 of docs/contract/clients.md: no planted secret in any byte that is sent, written or printed. */

const KEYS = [
  ...['password', 'secret', 'token', 'authorization', 'cookie', 'set-cookie', 'x-api-key', 'credit_card'],
  ...[
    'card_number',
    'cvv',
    'ssn',
    'social_security',
    'passwd',
    'pwd',
    'passphrase',
    'apiKey',
    'access_token',
  ],
  ...['refreshToken', 'id_token', 'client_secret', 'privateKey', 'proxy-authorization', 'x-auth-token'],
  ...['x-csrf-token', 'X-XSRF-Token', 'pin_code'],
];
/** Texts that are secrets whatever their key is, and the part of each that must not be seen. */
const VALUES: readonly [text: string, secret: string][] = [
  ['Bearer planted.Bearer-0123456789abcdef', 'planted.Bearer-0123456789abcdef'],
  [
    `Basic ${Buffer.from('planted:basic-password').toString('base64')}`,
    Buffer.from('planted:basic-password').toString('base64'),
  ],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ', 'c2lnbmF0dXJlLXBsYW50ZWQ'],
  [`svc_proj_${'P'.repeat(43)}`, 'P'.repeat(43)],
  [`svc_mem_${'Q'.repeat(43)}`, 'Q'.repeat(43)],
  ['4111 1111 1111 1111', '4111 1111 1111 1111'],
  ['https://user:planted-userinfo@db.example/x', 'planted-userinfo'],
  [`AKIA${'PLANTED0'.repeat(2)}`, 'PLANTED0PLANTED0'],
  [`ghp_${'planted'.repeat(6)}`, 'planted'.repeat(6)],
  [`sk_live_${'planted'.repeat(4)}`, 'planted'.repeat(4)],
  ['-----BEGIN PRIVATE KEY-----\nplantedpem\n-----END PRIVATE KEY-----', 'plantedpem'],
  ['reader@planted.example', 'reader@planted.example'],
  ['customer-775533', 'customer-775533'],
];
const OF_KEY = 'planted-by-key';

const keyed = () => Object.fromEntries(KEYS.map((key) => [key, OF_KEY]));
const valued = () => Object.fromEntries(VALUES.map(([text], at) => [`value${at}`, `before ${text} after`]));
const all = () => ({ ...keyed(), ...valued(), nested: [{ deeper: { ...keyed(), ...valued() } }] });

let endpoint: RecordingEndpoint;
let folder: string;
let printed: string;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  folder = mkdtempSync(join(tmpdir(), 'culprit-secrets-'));
  printed = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  await close(0);
  vi.restoreAllMocks();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

function start(options: NodeOptions): void {
  init({
    token: TEST_TOKEN,
    endpoint: endpoint.url,
    environment: 'production',
    debug: true,
    capture: { requests: false, outgoing: false, console: 'off' },
    requestBodies: 'failures',
    redactKeys: ['pin_code'],
    redactValues: ['email', /customer-\d+/],
    spool: false,
    onDiagnostic: ({ message, data }) => {
      printed += message + JSON.stringify(data);
    },
    ...options,
  });
}

/** Puts every secret everywhere a host can put it. */
function plant(): void {
  const text = VALUES.map(([each]) => each).join(' | ');
  setContext('account', all());
  setTag('note', text.slice(0, 190));
  setUser({ id: 'u-1', email: 'reader@planted.example', password: OF_KEY });
  const query = new URLSearchParams({ ...keyed(), ...valued() });
  withRequest(
    { method: 'POST', url: `/orders?${query}`, headers: { ...keyed(), ...valued(), accept: 'kept' } },
    () => {
      currentScope().setRequestBody(all());
      currentScope().setResponse({ headers: keyed(), body: all() });
      addBreadcrumb({ type: 'step', message: text, data: all() });
      captureMessage(text, 'error', all());
      probe('state', all());
      const error = new Error(text, { cause: new Error(text) });
      Object.assign(error, all());
      captureException(error, { context: { more: all() }, tags: { again: text.slice(0, 190) } });
    },
  );
  captureRequest({ url: `/paid?${query}`, headers: keyed() }, { status: 502, headers: keyed(), body: all() });
}

function expectClean(text: string): void {
  expect(text).toContain('[REDACTED]');
  expect(text).not.toContain(OF_KEY);
  for (const [, secret] of VALUES) {
    expect(text, secret).not.toContain(secret);
    expect(text, secret).not.toContain(encodeURIComponent(secret));
  }
}

it('are absent from everything that is sent, and from what is printed', async () => {
  start({});
  await until(() => getDiagnostics().policyPreset !== null);
  plant();
  await announceDeploy({ version: 'Bearer planted.Bearer-0123456789abcdef' });
  expect(await flush()).toBe(true);
  expect(endpoint.faults).toEqual([]);
  expect(endpoint.events().map(({ event_type }) => event_type)).toEqual(
    expect.arrayContaining(['backend_exception', 'request_event', 'log_event', 'deploy_metadata']),
  );
  expectClean(JSON.stringify(endpoint.arrivals.map(({ path, events }) => [path, events])));
  expect(printed).not.toContain(OF_KEY);
  for (const [, secret] of [...VALUES, [TEST_TOKEN, TEST_TOKEN]]) expect(printed).not.toContain(secret);
});

it('are absent from the files of local mode', async () => {
  start({ mode: 'local', localDir: join(folder, 'events') });
  plant();
  expect(await flush()).toBe(true);
  const files = readdirSync(join(folder, 'events')).map((name) =>
    readFileSync(join(folder, 'events', name), 'utf8'),
  );
  expectClean(files.join('\n'));
});
