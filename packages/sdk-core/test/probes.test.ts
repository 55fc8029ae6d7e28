import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createTraceHeaders,
  isPropagationTarget,
  newTraceId,
  readRequestIds,
  readTraceparent,
} from '../src/correlation.ts';
import { createDirectives, meetsLabel } from '../src/probes/directives.ts';
import { createProbeRing } from '../src/probes/probe-ring.ts';
import { createProbes } from '../src/probes/probes.ts';
import { createTriggerChecks, readTriggerToken } from '../src/probes/trigger-token.ts';
import { createCleaning } from '../src/redaction/clean.ts';
import { createRedaction } from '../src/redaction/redact.ts';
import { isPrivateAddress, isProjectToken, readDsn, resolveEndpoint } from '../src/sending/endpoint.ts';
import type { Directive, JsonObject } from '../src/wire.ts';

/** docs/contract/clients.md 2.4, 6 and 9.3, docs/contract/ingestion.md 6.4. */

const SERVICE = { name: 'api', environment: 'production' };
const ID = '550e8400-e29b-41d4-a716-446655440000';
const directive = (members: Partial<Directive> = {}): Directive => ({
  activation_id: ID,
  label_pattern: 'auth.*',
  service: '*',
  environment: 'production',
  expires_at: '2030-01-01T00:05:00Z',
  ...members,
});

function probing(isStandalone = true) {
  const clock = { nowMs: Date.UTC(2030, 0, 1) };
  const directives = createDirectives(SERVICE, () => clock.nowMs);
  const emitted: JsonObject[] = [];
  const probes = createProbes({
    now: () => clock.nowMs,
    ring: createProbeRing({
      now: () => clock.nowMs,
      startCleaner: createCleaning({ now: () => 0 }, createRedaction()),
    }),
    directives,
    isStandalone: () => isStandalone,
    emit: (payload) => emitted.push(payload),
  });
  return { clock, directives, emitted, probes };
}

describe('a probe', () => {
  it('keeps 10 values of each of 50 labels, and rides on one exception', () => {
    const { probes } = probing();
    for (let i = 0; i < 12; i += 1) probes.probe('cart.total', i);
    for (let i = 0; i < 60; i += 1) probes.probe(`l${i}`, { password: 'x', i });
    const first = probes.take(null);
    expect(first?.version).toBe(1);
    const items = first?.items;
    expect(items).toHaveLength(10 + 49);
    expect(items).toMatchObject({ 0: { label: 'cart.total', data: { value: 2 } } });
    expect(JSON.stringify(first)).not.toContain('"x"');
    expect(probes.take(null)).toBeNull();
  });

  it('gives an exception the values of its own scope and of none', () => {
    const { probes } = probing();
    const [mine, other] = [{}, {}];
    probes.probe('a', 'none');
    probes.probe('a', 'mine', undefined, mine);
    probes.probe('a', 'other', undefined, other);
    expect(JSON.stringify(probes.take(mine))).toMatch(/none.*mine/);
    expect(JSON.stringify(probes.take(other))).toMatch(/"other"/);
  });

  it('calls a function when an exception takes it, and a failing one is unreadable', () => {
    const { probes, clock } = probing();
    let calls = 0;
    probes.probe('lazy', () => (calls += 1));
    probes.probe('bad', () => {
      throw new Error('no');
    });
    probes.probe('slow', () => {
      clock.nowMs += 6;
      return 'late';
    });
    expect(calls).toBe(0);
    expect(probes.take(null)?.items).toMatchObject([
      { data: { value: 1 } },
      { data: { value: '[Unreadable]' } },
      { data: { value: 'late' } },
    ]);
  });

  it('calls no more functions once they have held up the host', () => {
    const { probes, clock } = probing();
    for (let i = 0; i < 8; i += 1) {
      probes.probe(`slow ${i}`, () => {
        clock.nowMs += 60;
        return i;
      });
    }
    const items = probes.take(null)?.items;
    const read = [0, 1, 2, ...Array.from({ length: 5 }, () => '[Unreadable]')];
    expect(items).toMatchObject(read.map((value) => ({ data: { value } })));
  });

  it('that is heavy is never called while dormant; with a directive it sends one event', () => {
    const { probes, directives, emitted, clock } = probing();
    let calls = 0;
    const count = () => {
      calls += 1;
      return { calls };
    };
    const heavy = () => probes.probe('auth.login', count, { heavy: true });
    heavy();
    directives.set([directive({ label_pattern: 'cart' }), directive({ environment: 'staging' })]);
    heavy();
    expect(calls).toBe(0);
    directives.set([directive()]);
    heavy();
    expect(emitted).toEqual([
      { label: 'auth.login', data: { calls: 1 }, activation_id: `act_${ID}`, probe_label_pattern: 'auth.*' },
    ]);
    expect(probes.take(null)).toBeNull();
    clock.nowMs += 300_001;
    heavy();
    expect(calls).toBe(1);
    expect(directives.active()).toBe(0);
  });

  it('that is heavy goes into the ring while the policy only buffers', () => {
    const { probes, directives, emitted } = probing(false);
    directives.set([directive()]);
    probes.probe('auth', () => 1, { heavy: true });
    expect(emitted).toEqual([]);
    expect(probes.take(null)?.items).toHaveLength(1);
  });

  it('sends 100 events a minute at most', () => {
    const { probes, directives, emitted, clock } = probing();
    directives.set([directive({ expires_at: '2031-01-01T00:00:00Z' })]);
    for (let i = 0; i < 250; i += 1) probes.probe('auth.x', i);
    expect(emitted).toHaveLength(100);
    clock.nowMs += 60_000;
    probes.probe('auth.x', 1);
    expect(emitted).toHaveLength(101);
  });

  it.each([
    ['*', 'any', true],
    ['auth.*', 'auth', true],
    ['auth.*', 'auth.login', true],
    ['auth.*', 'authority', false],
    ['auth', 'auth', true],
    ['auth', 'auth.login', false],
    ['a*', 'ab', true],
    ['a*', 'b', false],
    ['db_*', 'db_read', true],
    ['*.login', 'auth.login', true],
    ['*.login', 'auth.login.x', false],
    ['a*b*c', 'a1b2b3c', true],
    ['a*b*c', 'a1c2b', false],
    ['auth.logi?', 'auth.login', true],
    ['auth.logi?', 'auth.logi', false],
    ['?', '😀', true],
    ['??', '😀', false],
    ['*.b?.*', 'a.b1', true],
    ['*.b?.*', 'a.b1.c', true],
    ['**', 'any', true],
    ['[a]', 'a', false],
    ['', 'a', false],
    [`${'a*'.repeat(100)}b`, 'a'.repeat(2000), false],
  ])('pattern %s meets %s: %s', (pattern, label, expected) => {
    expect(meetsLabel(pattern, label)).toBe(expected);
  });
});

describe('a trigger token', () => {
  const key = '0123456789abcdef'.repeat(4);
  const hmac = (secret: string, text: string) =>
    createHmac('sha256', secret).update(text).digest('base64url');
  const sign = (payload: object) => {
    const signed = Buffer.from(JSON.stringify(payload)).toString('base64url');
    return `${signed}.${hmac(key, signed)}`;
  };
  const payload = {
    activation_id: ID,
    label_pattern: 'auth.*',
    service: '*',
    environment: 'production',
    trigger_expires_at: '2030-01-01T00:00:00Z',
  };
  const nowMs = Date.UTC(2029, 11, 31);
  const checks = (now: () => number = () => nowMs, counted?: () => void) =>
    createTriggerChecks({
      service: SERVICE,
      now,
      key: () => key,
      hmac(secret, text) {
        counted?.();
        return hmac(secret, text);
      },
    });

  it('has the signature of the check value', () => {
    expect(sign(payload).split('.')[1]).toBe('zriVsKjfog8o7-51ma5cwf6YZIExcnTKQ8wb-LZluCY');
  });

  it('is taken with either prefix', () => {
    const check = checks();
    for (const prefix of ['svc_probe_', 'dbundle_probe_']) {
      expect(check(prefix + sign(payload))).toMatchObject({ label_pattern: 'auth.*', activation_id: ID });
    }
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['another prefix', `x_probe_${sign(payload)}`],
    ['a bad signature', `svc_probe_${sign(payload).slice(0, -1)}A`],
    ['a cut signature', `svc_probe_${sign(payload).slice(0, -2)}`],
    ['no signature', `svc_probe_${sign(payload).split('.')[0]}`],
    ['an expired one', `svc_probe_${sign({ ...payload, trigger_expires_at: '2029-01-01T00:00:00Z' })}`],
    ['another service', `svc_probe_${sign({ ...payload, service: 'web' })}`],
    ['another environment', `svc_probe_${sign({ ...payload, environment: 'staging' })}`],
    ['a missing field', `svc_probe_${sign({ ...payload, activation_id: 7 })}`],
    ['a text that is too long', `svc_probe_${sign({ ...payload, service: 'x'.repeat(2000) })}`],
  ])('is ignored when it is %s', (_, token) => {
    expect(checks()(token)).toBeNull();
  });

  it('in other scripts is read as UTF-8', () => {
    const service = 'größe-服务';
    expect(readTriggerToken(`svc_probe_${sign({ ...payload, service })}`)?.directive.service).toBe(service);
  });

  it('is checked once a minute, and at most 20 tokens a second', () => {
    let now = nowMs;
    let count = 0;
    const check = checks(
      () => now,
      () => (count += 1),
    );
    const good = `svc_probe_${sign(payload)}`;
    for (let i = 0; i < 5; i += 1) expect(check(good)).not.toBeNull();
    expect(count).toBe(1);
    for (let i = 0; i < 1000; i += 1) check(`svc_probe_${sign({ ...payload, label_pattern: `l${i}` })}`);
    expect(count).toBe(20);
    now += 61_000;
    check(good);
    expect(count).toBe(21);
  });
});

describe('correlation', () => {
  const read = (headers: Record<string, unknown>) => readRequestIds((name) => headers[name]);
  const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  // F-50
  it('keeps the ids of a request in their order', () => {
    expect(read({ 'x-request-id': 'r-5', 'x-correlation-id': 'c', 'x-service-trace-id': 't-5' })).toEqual({
      requestId: 'r-5',
      traceId: 't-5',
      parent: null,
    });
    expect(
      read({ 'x-correlation-id': 'c', 'x-debugbundle-trace-id': 't', traceparent: parent }),
    ).toMatchObject({
      requestId: 'c',
      traceId: 't',
      parent: { traceId: 'a'.repeat(32) },
    });
    expect(read({ traceparent: parent }).traceId).toBe('a'.repeat(32));
    const page = `${'C'.repeat(32)}-${'d'.repeat(16)}`;
    expect(read({ 'sentry-trace': `${page}-1`, traceparent: parent }).traceId).toBe('a'.repeat(32));
    for (const sampled of ['', '-', '-0', '-1']) {
      expect(read({ 'sentry-trace': page + sampled }).traceId).toBe('c'.repeat(32));
    }
    for (const value of [`${page}-2`, 'c'.repeat(32), `${'0'.repeat(32)}-${'d'.repeat(16)}`, `x${page}`]) {
      expect(read({ 'sentry-trace': value }).traceId).toBeNull();
    }
    expect(read({ 'x-request-id': 'ü', 'x-correlation-id': 'x'.repeat(257) }).requestId).toBeNull();
  });

  it.each([
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    'x',
  ])('takes no id from the traceparent %s', (value) => expect(readTraceparent(value)).toBeNull());

  it.each<[string, (string | RegExp)[], boolean]>([
    ['https://api.example.com/x', ['https://api.example.com'], true],
    ['https://api.example.com:443/x', ['https://API.example.com/'], true],
    ['https://api.example.com.evil.test/x', ['https://api.example.com'], false],
    ['https://evil.test/?https://api.example.com', ['https://api.example.com'], false],
    ['https://evil.test/?https://api.example.com', [/api\.example\.com/], false],
    ['https://api.example.com/v2/x', [/example\.com\/v2\//g], true],
    ['/relative', [/./], false],
  ])('propagates to %s with %o: %s', (address, targets, expected) => {
    expect(isPropagationTarget(address, targets)).toBe(expected);
    expect(isPropagationTarget(address, targets)).toBe(expected);
  });

  it('writes the headers that the request does not have', () => {
    const random = (bytes: number) => new Uint8Array(bytes).fill(7);
    const traceId = newTraceId(random);
    expect(traceId).toBe('07'.repeat(16));
    const names = ['x-service-trace-id', 'traceparent', 'x-kept'];
    expect(createTraceHeaders(names, traceId, random, (name) => name === 'x-kept')).toEqual({
      'x-service-trace-id': traceId,
      traceparent: `00-${traceId}-${'07'.repeat(8)}-01`,
    });
    expect(createTraceHeaders(['traceparent'], 'not-hex', random)).toEqual({});
  });
});

describe('an endpoint', () => {
  it.each([
    ['https://h', 'https://h/v1/events'],
    ['https://h/', 'https://h/v1/events'],
    ['https://h/v1', 'https://h/v1/events'],
    ['https://h/x/v1/events', 'https://h/x/v1/events'],
    ['https://h/own', 'https://h/own'],
    ['ftp://h', null],
    ['h', null],
    ['https://u:p@h', null],
  ])('%s is %s', (given, events) => {
    expect(resolveEndpoint(given)?.events ?? null).toBe(events);
  });

  it('of a DSN ends in /v1/events, and the configuration beside it', () => {
    const dsn = readDsn('https://T@h/x');
    expect(dsn?.token).toBe('T');
    expect(resolveEndpoint(dsn?.endpoint ?? '')).toMatchObject({
      events: 'https://h/x/v1/events',
      config: 'https://h/x/v1/sdk/config',
    });
    expect(readDsn('https://h/x')).toBeNull();
  });

  it('is private on the machine and in private networks', () => {
    for (const origin of [
      'http://localhost:3000',
      'http://127.0.0.1',
      'http://10.1.2.3:80',
      'http://172.20.0.1',
      'http://[::1]:3000',
      'http://ingest',
    ]) {
      expect(isPrivateAddress(origin)).toBe(true);
    }
    for (const origin of ['http://example.com', 'http://8.8.8.8', 'http://172.32.0.1'])
      expect(isPrivateAddress(origin)).toBe(false);
    expect(isProjectToken(`svc_proj_${'a'.repeat(43)}`)).toBe(true);
    expect(isProjectToken(`svc_mem_${'a'.repeat(43)}`)).toBe(false);
  });
});
