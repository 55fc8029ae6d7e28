// Proves 47.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEvent } from '@culprit/evidence/events/envelope/check-event';
import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { relayHandler } from '../../src/http.ts';
import { type NodeHost, startNodeHost } from '../support/node-host.ts';
import { readRelayCases } from './contract-cases.ts';
import { type RecordingUpstream, startUpstream } from './recording-upstream.ts';

/** Random bodies, headers and chunks: the relay never fails by them and never sends on what it has to remove. */

const CALLS = 3_000;
const AT_ONCE = 8;
const PATH = '/culprit/browser';
const REMOVED = ['project_token', 'project_id', 'organization_id', 'event_class', 'fingerprint'];
const SECRET = 'planted-secret';

let upstream: RecordingUpstream;
let host: NodeHost;
const spoolDir = mkdtempSync(join(tmpdir(), 'culprit-fuzz-'));
beforeAll(async () => {
  upstream = await startUpstream();
  const relay = relayHandler({
    token: `svc_proj_${'f'.repeat(43)}`,
    endpoint: upstream.origin,
    mode: 'connected',
    durable: false,
    rateLimitPerMinute: 1_000_000,
    spoolDir,
  });
  host = await startNodeHost((request, response) => {
    if (!relay(request, response)) response.writeHead(299).end();
  });
});
afterAll(async () => {
  await host.close();
  await upstream.close();
  rmSync(spoolDir, { recursive: true });
});

const seed = Number(process.env.CULPRIT_TEST_SEED ?? Date.now() % 2 ** 31);

/** Mulberry32. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomOf(seed);
const integer = (below: number) => Math.floor(random() * below);
function pick<T>(values: readonly T[]): T {
  const value = values[integer(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

const { fixtures } = readRelayCases();
const FIXTURES = [...fixtures.values()];

function randomValue(depth = 0): JsonValue {
  const kind = integer(depth > 3 ? 6 : 9);
  if (kind < 3) return pick(['', SECRET, '\u0000', '\ud83d', 'x'.repeat(integer(3_000)), '__proto__']);
  if (kind === 3) return pick([0, -1, 1e308, 0.1]);
  if (kind === 4) return pick([true, false]);
  if (kind === 5) return null;
  if (kind === 6) return Array.from({ length: integer(4) }, () => randomValue(depth + 1));
  return Object.fromEntries(Array.from({ length: integer(4) }, () => [randomKey(), randomValue(depth + 1)]));
}

function randomKey(): string {
  return pick([
    ...['headers', 'request_headers', 'response_headers', 'Cookie', 'AUTHORIZATION', ' x-api-key', 'context'],
    ...['severity', 'verification', 'project_token', 'fingerprint', 'payload', 'service', 'sdk', 'sdk_name'],
    ...['breadcrumbs', 'data', 'name', 'message', 'stack', 'constructor', '__proto__', 'a'],
  ]);
}

/** An event of the contract with members replaced, added or removed anywhere. */
function randomEvent(): JsonValue {
  if (integer(12) === 0) return randomValue();
  const event = structuredClone(pick(FIXTURES));
  const places: JsonObject[] = [event];
  for (const place of places)
    for (const value of Object.values(place)) if (isJsonObject(value)) places.push(value);
  for (let change = integer(5); change > 0; change--) {
    const place = pick(places);
    const known = Object.keys(place);
    const key = known.length > 0 && integer(2) === 0 ? pick(known) : randomKey();
    if (integer(4) === 0) delete place[key];
    else
      Object.defineProperty(place, key, {
        value: randomValue(),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  if (integer(2) === 0) {
    for (const key of REMOVED) event[key] = SECRET;
    event.context = {
      ...(isJsonObject(event.context) ? event.context : {}),
      severity: 'critical',
      verification: true,
    };
    if (isJsonObject(event.payload)) {
      event.payload.headers = { cookie: SECRET, Authorization: SECRET, 'X-Api-Key': SECRET, accept: 'kept' };
    }
  }
  return event;
}

function randomBody(): Buffer {
  const kind = integer(10);
  if (kind === 0) return Buffer.from(Array.from({ length: integer(400) }, () => integer(256)));
  if (kind === 1) return Buffer.from('['.repeat(integer(200_000)));
  if (kind === 2) return Buffer.from(JSON.stringify(randomValue()));
  if (kind === 3) return Buffer.from('x'.repeat(200_000 + integer(100_000)));
  const events = Array.from({ length: integer(5) }, randomEvent);
  const text = JSON.stringify({ [pick(['batch', 'batch', 'batch', 'events', 'event'])]: events });
  return Buffer.from(kind === 4 ? text.slice(0, integer(text.length + 1)) : text);
}

/** Writes a request as bytes, in pieces. */
function randomRequest(): Buffer[] {
  const body = randomBody();
  const isChunked = integer(3) === 0;
  const usual = integer(4) > 0;
  const type = usual
    ? 'application/json'
    : pick(['application/json;x', 'text/plain', 'application/jsonp', ' ']);
  const headers = [
    `Host: ${pick(['app.example.com', 'app.example.com', 'app.example.com', '[::1', 'evil'])}`,
    `Origin: ${usual ? 'https://app.example.com' : pick(['null', '', 'https://', 'javascript:1', '\u00ff'])}`,
    `Content-Type: ${type}`,
    ...(integer(4) === 0 ? [`Cookie: session=${SECRET}`, `Authorization: Bearer ${SECRET}`] : []),
    ...(integer(8) === 0 ? [`X-Forwarded-For: ${pick(['', ',,,', '1.2.3.4, ::1', '%'.repeat(500)])}`] : []),
    ...(integer(8) === 0 ? [`Content-Encoding: ${pick(['gzip', 'identity', 'br, gzip', ''])}`] : []),
    ...(integer(8) === 0 ? [`X-Service-Probe-Trigger: svc_probe_${'a'.repeat(integer(3_000))}.b`] : []),
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  const method = pick(['POST', 'POST', 'POST', 'POST', 'POST', 'OPTIONS', 'GET', 'DELETE']);
  const head = Buffer.from(`${method} ${PATH} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1');
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const part = body.subarray(at, at + 1 + integer(integer(2) === 0 ? 50_000 : 300_000));
    at += part.length;
    parts.push(
      isChunked
        ? Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
        : part,
    );
  }
  return [head, ...parts, ...(isChunked ? [Buffer.from('0\r\n\r\n')] : [])];
}

/** The status, or 0 where the connection ended before one. */
async function statusOf(parts: readonly Buffer[]): Promise<number> {
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  for (const part of parts) {
    if (!socket.writable) break;
    socket.write(part);
    if (integer(3) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
}

it(`survives ${CALLS} random calls (seed ${seed})`, { timeout: 120_000 }, async () => {
  const statuses = new Map<number, number>();
  for (let call = 0; call < CALLS; call += AT_ONCE) {
    const requests = Array.from({ length: AT_ONCE }, randomRequest);
    for (const status of await Promise.all(requests.map(statusOf)))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  for (const status of statuses.keys()) expect(status, `seed ${seed}`).toBeLessThan(500);
  // The calls were not all refused at the door.
  for (const status of [202, 204, 400, 403, 405, 413])
    expect(statuses.get(status) ?? 0, `status ${status}`).toBeGreaterThan(CALLS / 500);

  // How many calls share a request to the service depends on how busy the machine is.
  const forwarded = upstream.received.flatMap(({ events }) => events);
  expect(forwarded.length).toBeGreaterThan(CALLS / 30);
  for (const { headers } of upstream.received) expect(JSON.stringify(headers)).not.toContain(SECRET);
  for (const event of forwarded) expectSafe(event);
});

function expectSafe(event: JsonObject): void {
  for (const key of REMOVED) expect(event).not.toHaveProperty([key]);
  expect(checkEvent(event)).toMatchObject({ ok: true });
  expect(['@culprit/browser', '@debugbundle/sdk-browser']).toContain(
    event.sdk_name ?? Object(event.sdk).name,
  );
  expect(Object(event.service).runtime).toBe('browser');
  for (const context of [event.context, Object(event.payload).context]) {
    for (const key of ['severity', 'verification', 'verification_type']) {
      expect(Object.keys(Object(context))).not.toContain(key);
    }
  }
  expectNoSecretHeaders(event.payload ?? null);
}

function expectNoSecretHeaders(value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (/^(?:request_|response_)?headers$/.test(key) && isJsonObject(inner)) {
      for (const name of Object.keys(inner)) {
        expect(name.trim()).not.toMatch(
          /^(?:cookie|set-cookie|authorization|proxy-authorization|x-api-key)$/i,
        );
      }
    }
    expectNoSecretHeaders(inner);
  }
}
