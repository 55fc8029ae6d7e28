import { describe, expect, it } from 'vitest';
import { charactersRead } from '../../evidence/test/support/characters-read.ts';
import { createCleaning } from '../src/redaction/clean.ts';
import { errorsBehind, readThrown } from '../src/redaction/read-error.ts';
import { createRedaction } from '../src/redaction/redact.ts';
import { SERVER_PATTERNS } from '../src/redaction/redact-node.ts';
import { readValuePatterns } from '../src/redaction/redact-values.ts';
import { bytesOf, serializeEvent, TRIMMED } from '../src/sending/serialize.ts';
import type { JsonObject, WireEvent } from '../src/wire.ts';

/** docs/contract/clients.md 10. */

const clean = (value: unknown) => createCleaning({ now: () => 0 }, createRedaction())().value(value);

describe('a value as JSON', () => {
  const circular: { [key: string]: unknown } = { a: 1 };
  circular.self = circular;
  const deep = (levels: number): unknown => (levels === 0 ? 'end' : { in: deep(levels - 1) });
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const protoMember: unknown = JSON.parse('{"__proto__":{"polluted":true},"a":1}');

  it.each<[string, unknown, unknown]>([
    ['text', 'hello', 'hello'],
    ['a long text', 'x'.repeat(3000), `${'x'.repeat(2037)}[Truncated]`],
    ['a number', 1.5, 1.5],
    ['NaN', Number.NaN, 'NaN'],
    ['infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
    ['null', null, null],
    ['undefined in a list', [undefined, 1], [null, 1]],
    ['a hole in a list', new Array(2), [null, null]],
    ['a bigint', 12345678901234567890n, '12345678901234567890'],
    ['a huge bigint', 2n ** 100_000n, '[Truncated]'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', () => 1, '[Function]'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an expression', /a+b/gi, '/a+b/gi'],
    [
      'a map',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, 'b'],
        ['token', 'x'],
      ]),
      { 2: 'b', a: 1, token: '[REDACTED]' },
    ],
    ['a set', new Set([1, 'a']), [1, 'a']],
    ['bytes', new Uint8Array(5), '[Binary 5 bytes]'],
    ['a buffer', new ArrayBuffer(7), '[Binary 7 bytes]'],
    ['a promise', Promise.resolve(1), '[Promise]'],
    ['a weak map', new WeakMap(), '[WeakMap]'],
    ['a loop', circular, { a: 1, self: '[Circular]' }],
    ['a revoked proxy', { a: revoked }, { a: '[Unreadable]' }],
    [
      'what throws when it is listed',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
      '[Unreadable]',
    ],
    ['a member named __proto__', protoMember, JSON.parse('{"__proto__":{"polluted":true},"a":1}')],
    ['inherited members', Object.create({ inherited: 1 }), {}],
    [
      'a secret',
      { Password: 'p', 'x-api-key': 'k', apiKey: 'a', tokens: 2 },
      { Password: '[REDACTED]', 'x-api-key': '[REDACTED]', apiKey: '[REDACTED]', tokens: 2 },
    ],
  ])('writes %s', (_, value, expected) => {
    expect(JSON.parse(JSON.stringify(clean(value)))).toEqual(expected);
    expect(JSON.parse(JSON.stringify(clean({ value })))).toEqual({ value: expected });
  });

  it('reads an error of any class', () => {
    const error = Object.assign(new TypeError('boom'), { code: 'E' });
    expect(clean({ error })).toMatchObject({
      error: { name: 'TypeError', message: 'boom', stack: expect.stringContaining('TypeError: boom\n') },
    });
  });

  it('calls no accessor but those of an Error, no toJSON and no valueOf', () => {
    const called: string[] = [];
    const value = {
      get secretly() {
        called.push('get');
        return 1;
      },
      set only(_: unknown) {},
      toJSON: () => called.push('toJSON'),
      valueOf: () => called.push('valueOf'),
      toString: () => called.push('toString'),
      error: Object.defineProperty(new Error(), 'message', { get: () => 'made now' }),
      list: Object.defineProperty([1], 0, { get: () => called.push('item'), enumerable: true }),
    };
    expect(clean(value)).toMatchObject({
      secretly: '[Getter]',
      only: '[Getter]',
      toJSON: '[Function]',
      list: ['[Getter]'],
      error: { message: 'made now' },
    });
    expect(called).toEqual([]);
  });

  it('keeps 8 levels, 50 entries and 1,000 values', () => {
    expect(JSON.stringify(clean(deep(20)))).toBe(`${'{"in":'.repeat(8)}"[Truncated]"${'}'.repeat(8)}`);
    const list = clean(Array.from({ length: 60 }, (_, i) => i));
    expect(list).toHaveLength(51);
    expect(list).toMatchObject({ 50: '[Truncated]' });
    const object = clean(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i])));
    expect(Object.keys(Object(object))).toHaveLength(51);
    expect(object).toMatchObject({ k49: 49, '[Truncated]': '[Truncated]' });
    const wide = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => 1));
    const numbers = JSON.stringify(clean(wide)).match(/1/g) ?? [];
    expect(numbers.length).toBeLessThanOrEqual(1000);
    expect(numbers.length).toBeGreaterThan(900);
  });

  it('keeps 262,144 characters of all texts together', () => {
    const texts = Array.from({ length: 16 }, () => Array.from({ length: 16 }, () => 'x'.repeat(2000)));
    const kept = (JSON.stringify(clean(texts)).match(/x/g) ?? []).length;
    expect(kept).toBeGreaterThan(260_000);
    expect(kept).toBeLessThanOrEqual(262_144);
  });

  it('is the same on a slow machine, also when the process is paused in between', () => {
    const order = Array.from({ length: 45 }, (_, i) => ({
      id: i,
      name: `n${i}`,
      price: i / 7,
      tags: ['a', 'b'],
    }));
    let nowMs = 0;
    let reads = 0;
    const slow = () => {
      reads += 1;
      nowMs += reads === 200 ? 5_000 : 0.05;
      return nowMs;
    };
    const cold = createCleaning({ now: slow }, createRedaction())().value({ order });
    expect(reads).toBeGreaterThan(200);
    expect(cold).toEqual(clean({ order }));
  });

  it('ends when code of the host takes its time', () => {
    let nowMs = 0;
    const slowly = <Value extends object>(value: Value, ms: number): Value =>
      new Proxy(value, {
        getOwnPropertyDescriptor(target, key) {
          nowMs += ms;
          return Reflect.getOwnPropertyDescriptor(target, key);
        },
      });
    const kept = (ms: number) => {
      const cleaner = createCleaning({ now: () => nowMs }, createRedaction())();
      const rows = Array.from({ length: 40 }, () => slowly({ a: 1, b: 1, c: 1 }, ms));
      return (JSON.stringify(cleaner.value(rows)).match(/1/g) ?? []).length;
    };
    expect(kept(0)).toBe(120);
    expect(kept(2)).toBeLessThan(60);
    expect(kept(60_000)).toBeLessThan(4);
  });

  it('asks the platform about what only it knows, before anything is read', () => {
    const known = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error('read');
        },
      },
    );
    const cleaning = createCleaning(
      { now: () => 0, describe: (value) => (value === known ? '[Proxy]' : undefined) },
      createRedaction(),
    );
    expect(cleaning().value([known])).toEqual(['[Proxy]']);
  });
});

describe('redaction', () => {
  const { text, isSecret } = createRedaction(['Internal-Id'], SERVER_PATTERNS);

  it.each([
    'password',
    'secret',
    'token',
    'authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'credit_card',
    'card_number',
    'cvv',
    'ssn',
    'social_security',
    'passwd',
    'pwd',
    'passphrase',
    'api_key',
    'access_token',
    'refresh_token',
    'id_token',
    'client_secret',
    'private_key',
    'proxy-authorization',
    'x-auth-token',
    'x-csrf-token',
    'x-xsrf-token',
    'internal_id',
  ])('knows the key %s in every spelling', (key) => {
    const camel = key.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
    for (const spelling of [key, key.toUpperCase(), camel, key.replace(/[_-]/g, '')]) {
      expect(isSecret(spelling, 'x')).toBe(true);
      expect(text(`/x?a=1&${spelling}=abc123&b=2`)).toBe(`/x?a=1&${spelling}=[REDACTED]&b=2`);
    }
  });

  it.each(['token_count', 'password_hint', 'tokenizer', 'sessions', 'author', 'secretary'])(
    'leaves %s',
    (key) => {
      expect(isSecret(key, 'x')).toBe(false);
      expect(text(`/x?${key}=abc`)).toBe(`/x?${key}=abc`);
    },
  );

  it.each([
    ['Authorization: Bearer abcDEF123', 'Authorization: Bearer [REDACTED]'],
    ['Bearer token is missing', 'Bearer token is missing'],
    ['Basic dXNlcjpwYXNz', 'Basic [REDACTED]'],
    ['Basic YTpi', 'Basic [REDACTED]'],
    ['Visual Basic 6.0', 'Visual Basic 6.0'],
    ['jwt eyJhbGciOi.eyJzdWIi.c2ln end', 'jwt [REDACTED] end'],
    ['eyJhbGciOi alone', 'eyJhbGciOi alone'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!', '[REDACTED]!'],
    ['-----BEGIN PRIVATE KEY-----\ncut off', '[REDACTED]'],
    [
      '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----',
      '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----',
    ],
    ['svc_proj_abc-DEF_1 svc_mem_x', '[REDACTED] [REDACTED]'],
    ['card 4111 1111 1111 1111.', 'card [REDACTED].'],
    ['4111111111111111', '[REDACTED]'],
    ['a4111111111111111', 'a4111111111111111'],
    ['1.4111111111111111', '1.4111111111111111'],
    ['at 1700000000000 ms', 'at 1700000000000 ms'],
    ['4111111111111112', '4111111111111112'],
    ['postgres://user:pass@db/x', 'postgres://[REDACTED]@db/x'],
    ['mail a@b.c over https://x/', 'mail a@b.c over https://x/'],
    ['AKIAABCDEFGHIJKLMNOP', '[REDACTED]'],
    ['ghp_abcdefghijklmnopqrst1', '[REDACTED]'],
    ['sk_live_abcdefghij1', '[REDACTED]'],
    ['xoxb-1234567890-abc', '[REDACTED]'],
    ['github_pat_11ABCDEFG0123456789_abc', '[REDACTED]'],
    ['glpat-abcdefghij0123456789', '[REDACTED]'],
    ['rk_live_abcdefghij1', '[REDACTED]'],
    ['whsec_abcdefghijklmnopqrstuvw1', '[REDACTED]'],
    ['of npm_abcdefghijklmnopqrstuvwxyz0123456789', 'of [REDACTED]'],
    [
      'Incorrect API key provided: sk-proj-abcdefghijklmnopqrst_-1.',
      'Incorrect API key provided: [REDACTED].',
    ],
    ['sk-ant-api03-abcdefghijklmnopqrst', '[REDACTED]'],
    ['hf_abcdefghijklmnopqrstuvwxyzABCDEF', '[REDACTED]'],
    ['AIzaSyA1234567890abcdefghijklmnopqrstuv', '[REDACTED]'],
    ['SG.abcdefghijklmnopqrstuv.qrstuvwxyz0123456789qrstuvwxyz0123456789qrs', '[REDACTED]'],
    [
      'https://hooks.slack.com/services/T0000/B0000/abcdefghijklmnop',
      'https://hooks.slack.com/services/[REDACTED]',
    ],
    ['task-ant-hill npm_config_registry SG.x', 'task-ant-hill npm_config_registry SG.x'],
  ])('of %j gives %j, and twice gives the same', (given, expected) => {
    expect(text(given)).toBe(expected);
    expect(text(text(given))).toBe(expected);
  });

  it.each([
    '?',
    '&',
    '?a',
    '=?',
    '-----BEGIN ',
    'eyJ',
    'a://',
    '@://',
    'bearer ',
    '1 ',
    '1-',
    '4111 ',
    'svc_proj_',
    '@a.',
  ])('reads in proportion to a text of %j', (unit) => {
    const own = createRedaction([], readValuePatterns(['email', 'ip']));
    const given = `a${unit.repeat(100_000 / unit.length)}!`;
    expect(charactersRead(() => own.text(text(given)))).toBeLessThan(50 * given.length);
  });

  it('adds e-mail, addresses and own expressions on demand', () => {
    const own = createRedaction([], readValuePatterns(['email', 'ip', /order-\d+/]));
    expect(own.text('jo@example.com from 10.0.0.7 and fe80::1:2 in order-77, order-78')).toBe(
      '[REDACTED] from [REDACTED] and [REDACTED] in [REDACTED], [REDACTED]',
    );
  });
});

describe('a serialized event', () => {
  const event = (payload: JsonObject, context: JsonObject = {}): WireEvent => ({
    occurred_at: '2030-01-01T00:00:00.000Z',
    event_id: 'e',
    event_type: 'backend_exception',
    schema_version: '2026-03-01',
    sdk_name: 's',
    sdk_version: '1',
    service: { name: 'n', environment: 'e', runtime: null, framework: null },
    correlation: { request_id: null, trace_id: null, session_id: null, user_id_hash: null },
    payload,
    context,
  });
  const big = 'x'.repeat(3000);
  const trimmed = (payload: JsonObject, context: JsonObject, hostKeys: string[]) =>
    JSON.parse(serializeEvent(event(payload, context), 2500, hostKeys, TRIMMED) ?? 'null');

  it('loses breadcrumb data and log attributes first, then bodies, then what the host added', () => {
    expect(
      trimmed({ breadcrumbs: [{ t: 1, data: big }], response: { body: 'kept' } }, {}, []).payload,
    ).toEqual({
      breadcrumbs: [{ t: 1 }],
      response: { body: 'kept' },
    });
    expect(
      trimmed({ logs: [{ message: 'm', attributes: { big } }], request: { body: 'kept' } }, {}, []).payload,
    ).toEqual({
      logs: [{ message: 'm' }],
      request: { body: 'kept' },
    });
    expect(trimmed({ response: { body: big }, request: { body: 'kept' } }, {}, []).payload).toEqual({
      response: {},
      request: { body: 'kept' },
    });
    expect(trimmed({ request: { body: big }, probe_data: { a: 1 } }, {}, []).payload).toEqual({
      request: {},
      probe_data: { a: 1 },
    });
    expect(trimmed({ name: 'n', probe_data: { big } }, { mine: 1 }, ['mine'])).toMatchObject({
      payload: { name: 'n' },
      context: { mine: 1 },
    });
    expect(trimmed({ logs: [{ message: 'kept' }] }, { mine: big, release: 'r' }, ['mine'])).toMatchObject({
      payload: { logs: [{ message: 'kept' }] },
      context: { release: 'r' },
    });
    expect(trimmed({ name: 'n', logs: [{ message: big }] }, {}, []).payload).toEqual({ name: 'n' });
    expect(trimmed({ name: big }, {}, [])).toBeNull();
  });

  it('is cut in its causes, then in its stack and message, when nothing else is left', () => {
    const causes = [{ name: 'c', message: 'm', stack: big }];
    expect(trimmed({ name: 'n', stack: 's', causes }, {}, []).payload).toEqual({
      name: 'n',
      stack: 's',
      causes: [{ name: 'c', message: 'm' }],
    });
    const texts = event({ name: 'n', stack: '多'.repeat(9000), message: '字'.repeat(9000) }, {});
    const { stack, message } = JSON.parse(serializeEvent(texts, 8000, [], TRIMMED) ?? 'null').payload;
    expect([stack, message]).toEqual([
      expect.stringMatching(/^多{200,}\[Truncated]/),
      expect.stringMatching(/^字{200,}\[Truncated]/),
    ]);
  });

  it('keeps the frames of a stack whose message is long', () => {
    const message = 'line of text\n'.repeat(6000);
    const stack = `Error: ${message}\n    at work (app.js:1:2)\n    at main (app.js:3:4)`;
    const cleaner = createCleaning({ now: () => 0 }, createRedaction())();
    const error = Object.assign(new Error(message), { stack });
    error.cause = Object.assign(new Error(message), { stack });
    const payload = cleaner.payload({
      ...readThrown(error),
      causes: errorsBehind(error).map((each) => readThrown(each)),
    });
    expect(payload.stack).toMatch(/\[Truncated]\n {4}at work \(app.js:1:2\)\n {4}at main/);
    expect(String(payload.stack).length).toBeLessThan(1000);
    expect(payload.causes).toMatchObject([{ stack: expect.stringContaining('at main') }]);
  });

  it('is searched for addresses as far as it is kept, and its frames follow', () => {
    const message = `GET https://shop.example/orders?card=1 failed ${'http://'.repeat(10_000)}`;
    const error = new Error(message);
    error.stack = `Error: ${message}\n    at work (app.js:1:2)`;
    const facts = readThrown(error);
    expect(String(facts.message).length).toBeLessThan(20_000);
    expect(facts.message).toMatch(/^GET https:\/\/shop\.example\/orders failed http:/);
    const header = `${String(facts.message).slice(0, 500)}[Truncated]`;
    expect(facts.stack).toBe(`Error: ${header}\n    at work (app.js:1:2)`);
  });

  it('is measured exactly', () => {
    for (const text of ['abc', 'äöü', '€', '𝒳𝒳', 'aé€𝒳']) {
      expect(bytesOf(text)).toBe(new TextEncoder().encode(text).length);
    }
  });
});
