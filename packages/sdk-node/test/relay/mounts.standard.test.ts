// Proves 47.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installHosts } from '../../../sdk-test-hosts/hosts.ts';
import { packedSdk } from '../../../sdk-test-hosts/packed-sdk.ts';
import { at, bodyOf, objectOf, readRelayCases } from './contract-cases.ts';
import { type RecordingUpstream, startUpstream } from './recording-upstream.ts';
import { HOST_PROGRAMS, HOST_STATUS, type StartedHost, startHost } from './relay-hosts.ts';
import { type RawAnswer, sendRaw } from './send-raw.ts';

/** The relay through each of its mounts, on the packed library and in real frameworks (C-49 to C-51, C-53). */

const TOKEN = `svc_proj_${'s'.repeat(43)}`;
const PATH = '/culprit/browser';
const LIMIT = 262_144;
const SAME_ORIGIN = {
  Host: 'app.example.com',
  Origin: 'https://app.example.com',
  'Content-Type': 'application/json',
};
const { fixtures, cases } = readRelayCases();
const scratch = mkdtempSync(join(tmpdir(), 'culprit-relay-'));
let upstream: RecordingUpstream;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.statusOf = (path) => (path.includes('down/') ? 503 : 202);
  await packedSdk();
  await installHosts();
}, 300_000);
afterAll(async () => {
  await upstream.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Which relay of an application a case is for, by what it is given. */
function relayFor(given: string): string {
  if (given.includes('origins')) return 'origins';
  if (given.includes('60 calls')) return 'rate';
  if (given.includes('durable off')) return 'direct-down';
  return given.includes('503') ? 'down' : 'standard';
}

describe.each(Object.entries(HOST_PROGRAMS))('the relay in %s', (name, program) => {
  const id = name.replace(/\W/g, '-');
  const spool = (relay: string) => join(scratch, id, relay, 'spool');
  let host: StartedHost;

  beforeAll(async () => {
    const options = (relay: string, extra: object = {}) => ({
      ...{ token: TOKEN, endpoint: `${upstream.origin}/${id}/${relay}/v1/events`, mode: 'connected' },
      ...{ spoolDir: spool(relay), ...extra },
    });
    host = await startHost(program, {
      standard: options('standard', { rateLimitPerMinute: 100_000 }),
      origins: options('origins', { origins: ['https://shop.example/'] }),
      rate: options('rate'),
      down: options('down'),
      'direct-down': options('direct-down', { durable: false }),
      parser: options('parser', { isBehindParser: true }),
    });
  }, 60_000);
  afterAll(() => host?.stop());

  const send = (
    relay: string,
    method: string,
    headers: Record<string, string>,
    body: string | null,
    path = PATH,
  ) => sendRaw({ port: host.ports[relay] ?? 0, method, path, headers, body });
  const receivedBy = (relay: string) =>
    upstream.received.filter(({ path }) => path.startsWith(`/${id}/${relay}/`));

  it.each(cases)('$id: $title', async ({ given, steps }) => {
    const relay = relayFor(given);
    if (relay === 'rate')
      for (let call = 0; call < 60; call += 1) await send(relay, 'POST', SAME_ORIGIN, '{"batch":[]}');
    for (const { when, expected } of steps) {
      const before = receivedBy(relay).length;
      const [method = ''] = Object.keys(when);
      const headers = Object.fromEntries(
        Object.entries(objectOf(when.headers)).map(([key, value]) => [key, String(value)]),
      );
      const answer = await send(
        relay,
        method.toUpperCase(),
        headers,
        bodyOf(when, fixtures),
        String(when[method]),
      );
      expectAnswer(answer, expected);
      if (expected.upstream !== undefined) {
        const received = receivedBy(relay).slice(before);
        expect(received).toHaveLength(1);
        expectUpstream(objectOf(expected.upstream), received[0]?.headers ?? {}, received[0]?.body ?? {});
      }
    }
    if (relay === 'down') {
      const files = readdirSync(spool('down'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.includes('.events'),
      );
      expect(files.map((file) => file.replace(/^.*\/\d+-\d+-/, ''))).toEqual(['node-service.events.json']);
    }
  });

  // C-49
  it('never lets a call to its path reach the host, and every other call does', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'POST', 'OPTIONS']) {
      for (const Origin of ['https://app.example.com', 'https://evil.example']) {
        const { status } = await send('standard', method, { ...SAME_ORIGIN, Origin }, null);
        expect(status, `${method} ${Origin}`).not.toBe(HOST_STATUS);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
      }
    }
    for (const path of ['/', '/culprit', '/culprit/browser/more', '/culprit/browsers']) {
      expect((await send('standard', 'GET', SAME_ORIGIN, null, path)).status, path).toBe(HOST_STATUS);
    }
  });

  it.each([
    [
      'another media type with ours as a parameter',
      { 'Content-Type': 'text/plain; charset=application/json' },
      400,
      'invalid_content_type',
    ],
    ['the origin null', { Origin: 'null', Referer: 'https://app.example.com/' }, 403, 'origin_not_allowed'],
    ['another port', { Origin: 'https://app.example.com:8443' }, 403, 'origin_not_allowed'],
    [
      'a forwarded host without trust',
      { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example' },
      403,
      'origin_not_allowed',
    ],
    ['a compressed body', { 'Content-Encoding': 'gzip' }, 400, 'invalid_payload'],
  ])('C-50: refuses %s', async (_what, headers, status, error) => {
    const answer = await send('standard', 'POST', { ...SAME_ORIGIN, ...headers }, '{"batch":[]}');
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([status, error]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers.vary).toBe('Origin');
    expect(answer.headers['access-control-allow-origin']).toBe(
      status === 403 ? undefined : 'https://app.example.com',
    );
  });

  it.each([
    ['with its length', 'standard', false],
    ['in chunks without length', 'standard', true],
    ['behind a body parser, with its length', 'parser', false],
    ['behind a body parser, in chunks', 'parser', true],
  ])('C-51: accepts 262,144 bytes and refuses 262,145, %s', async (_how, relay, isChunked) => {
    const body = (bytes: number) => `{"batch":[],"x":"${'x'.repeat(bytes - 19)}"}`;
    expect(body(LIMIT)).toHaveLength(LIMIT);
    const call = {
      port: host.ports[relay] ?? 0,
      method: 'POST',
      path: PATH,
      headers: SAME_ORIGIN,
      isChunked,
    };
    expect((await sendRaw({ ...call, body: body(LIMIT) })).status).toBe(202);
    const answer = await sendRaw({ ...call, body: body(LIMIT + 1) });
    expect([answer.status, JSON.parse(answer.text || '{}').error]).toEqual([413, 'payload_too_large']);
  });

  // C-53
  it('forwards neither a severity nor a verification that a browser claims', async () => {
    const event = {
      ...fixtures.get('FE'),
      event_id: 'c-53',
      context: { severity: 'critical', verification: true, kept: 1 },
    };
    const body = JSON.stringify({
      batch: [
        {
          ...event,
          payload: { ...objectOf(fixtures.get('FE')?.payload), context: { severity: 'critical' } },
        },
      ],
    });
    expect((await send('standard', 'POST', SAME_ORIGIN, body)).status).toBe(202);
    const sent = receivedBy('standard')
      .flatMap(({ events }) => events)
      .find(({ event_id }) => event_id === 'c-53');
    expect(sent).toMatchObject({ context: { kept: 1 }, payload: { context: {} } });
    expect(JSON.stringify(sent)).not.toContain('critical');
  });

  it('writes nothing to standard error but the line for a client without an address', () => {
    expect(host.output()).toBe('');
  });
});

function expectAnswer(answer: RawAnswer, expected: JsonObject): void {
  expect(answer.status).toBe(expected.status);
  if (expected.body !== undefined) expect(JSON.parse(answer.text)).toEqual(expected.body);
  for (const [name, value] of Object.entries(objectOf(expected.headers ?? {}))) {
    const found = answer.headers[name.toLowerCase()];
    if (value === '~int') expect(found).toMatch(/^[1-9]\d*$/);
    else expect(found).toBe(value);
  }
}

function expectUpstream(
  expected: JsonObject,
  headers: Readonly<Record<string, unknown>>,
  body: JsonObject,
): void {
  for (const [name, value] of Object.entries(objectOf(expected.headers ?? {}))) {
    const found = headers[name.toLowerCase()] ?? null;
    expect(found, name).toBe(value === 'Bearer SOLO' ? `Bearer ${TOKEN}` : value);
  }
  for (const [path, value] of Object.entries(objectOf(expected.has ?? {})))
    expect(at(body, path), path).toEqual(value);
}
