import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/events/envelope/json.ts';
import { mayNeedSanitizing, sanitizeRawEvent } from '../../src/events/envelope/sanitize-raw-event.ts';
import { charactersRead } from '../support/characters-read.ts';
import { fixture, fixtureNames } from './event-fixtures.ts';

const KEY = new Uint8Array(32).fill(7);

function sanitize(event: JsonObject): JsonObject {
  return sanitizeRawEvent(event, KEY);
}

function mayNeed(text: string): boolean {
  return mayNeedSanitizing(Buffer.from(text));
}

describe('what intake does to an event before it is stored', () => {
  it('removes the project token of the envelope and leaves a plain event as it is', () => {
    for (const name of fixtureNames) {
      expect(sanitize(fixture(name, { project_token: 'svc_proj_x' }))).toEqual(fixture(name));
    }
  });

  it('redacts secret keys in any spelling at any depth, unless their value is a switch or nothing', () => {
    const event = fixture('W', {
      context: { a: [{ Password: 'x' }, { b: { 'SET-cookie': null } }], tokens: 1, token: { deep: 1 } },
      'payload.request.headers': {
        AUTHORIZATION: 'x',
        'x-api-key': ['y'],
        accept: '*/*',
        'X-Token': 'z',
        'X-Tokenizer': 'stays',
      },
      'payload.request.body': {
        card_number: 4111,
        ssn: true,
        newPassword: 'x',
        nested: [[{ Social_Security: 's' }]],
      },
    });
    expect(sanitize(event)).toEqual(
      fixture('W', {
        context: {
          a: [{ Password: '[REDACTED]' }, { b: { 'SET-cookie': null } }],
          tokens: 1,
          token: '[REDACTED]',
        },
        'payload.request.headers': {
          AUTHORIZATION: '[REDACTED]',
          'x-api-key': '[REDACTED]',
          accept: '*/*',
          'X-Token': '[REDACTED]',
          'X-Tokenizer': 'stays',
        },
        'payload.request.body': {
          card_number: '[REDACTED]',
          ssn: true,
          newPassword: '[REDACTED]',
          nested: [[{ Social_Security: '[REDACTED]' }]],
        },
      }),
    );
  });

  it('hashes raw user ids with the key of the project', () => {
    const hash = (id: string) => `usr_${createHmac('sha256', KEY).update(id).digest('hex').slice(0, 32)}`;
    const event = fixture('A', {
      context: { user_id: 'alice', user: { id: 42, email: 'a@b.example' }, other: { user_id: 'stays' } },
      'payload.context': { user_id: 'bob', user: { id: 'carol' } },
    });
    expect(sanitize(event)).toEqual(
      fixture('A', {
        context: {
          user_id: hash('alice'),
          user: { id: hash('42'), email: 'a@b.example' },
          other: { user_id: 'stays' },
        },
        'payload.context': { user_id: hash('bob'), user: { id: hash('carol') } },
      }),
    );
    expect(sanitizeRawEvent(event, new Uint8Array(32))).not.toEqual(sanitize(event));
  });

  it('keeps a hashed id, nothing and a redacted id; hides an id of another kind', () => {
    const id = (value: JsonValue) => {
      const { context } = sanitize(fixture('A', { context: { user_id: value } }));
      return isJsonObject(context) ? context.user_id : undefined;
    };
    const hashed = `usr_${'0a'.repeat(16)}`;
    for (const value of [hashed, null, '', '[REDACTED]']) expect(id(value)).toBe(value);
    expect(id({ name: 'alice' })).toBe('[REDACTED]');
    expect(id(true)).toBe('[REDACTED]');
    expect(id(hashed.toUpperCase())).toMatch(/^usr_[0-9a-f]{32}$/);
    expect(sanitize(sanitize(fixture('A', { context: { user_id: 'alice' } })))).toEqual(
      sanitize(fixture('A', { context: { user_id: 'alice' } })),
    );
  });

  it('returns new objects and leaves the old ones alone', () => {
    const event = fixture('A', { context: { password: 'x', list: [{ a: 1 }] } });
    const before = structuredClone(event);
    const result = sanitize(event);
    expect(event).toEqual(before);
    expect(result.context).not.toBe(event.context);
  });

  it('keeps keys that name things of every object as plain data', () => {
    const text =
      '{"context":{"__proto__":{"password":"x","polluted":1},"constructor":{"prototype":{"token":1}}}}';
    const result = sanitize(JSON.parse(text));
    expect(JSON.stringify(result)).toBe(
      '{"context":{"__proto__":{"password":"[REDACTED]","polluted":1},"constructor":{"prototype":{"token":"[REDACTED]"}}}}',
    );
    expect(Object.getPrototypeOf(result.context)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('survives any depth', () => {
    let deep: JsonValue = { password: 'x' };
    for (let i = 0; i < 20_000; i += 1) deep = [deep];
    expect(JSON.stringify(sanitize(fixture('A', { context: { deep } })))).not.toContain('"x"');
  });
});

describe('the scan that spares a body its rewriting', () => {
  it('lets the ordinary body pass', () => {
    for (const name of fixtureNames) expect(mayNeed(JSON.stringify({ events: [fixture(name)] }))).toBe(false);
    expect(mayNeed('{"message":"the token \\u003cb\\u003e of user alice was a secret"}')).toBe(false);
    expect(mayNeed('{"token_count":1,"user_id_hash":null,"author":2,"sessions":[]}')).toBe(false);
    expect(mayNeed('{"role":"user","kind":"token"}')).toBe(false);
  });

  it.each(['password', 'set-cookie', 'x-api-key', 'card_number', 'project_token', 'user_id', 'user'])(
    'finds %s in any spacing',
    (key) => {
      for (const spelling of key.startsWith('user') ? [key] : [key, key.toUpperCase(), `old-${key}`]) {
        expect(mayNeed(`{"${spelling}":1}`)).toBe(true);
        expect(mayNeed(`{"a":{"${spelling}" \n\t : 1}}`)).toBe(true);
      }
    },
  );

  it('finds a key with a letter written as an escape', () => {
    for (const text of [
      '{"p\\u0061ssword":1}',
      '{"\\u0054oken":1}',
      '{"set\\u002Dcookie":1}',
      '{"user\\u005fid":1}',
    ]) {
      expect(mayNeed(text)).toBe(true);
    }
  });

  it('reads in proportion to quotes and white space', () => {
    const body = Buffer.from(`{"a":"${'"token" '.repeat(10)}${' '.repeat(500_000)}${'"'.repeat(500_000)}"}`);
    expect(charactersRead(() => mayNeedSanitizing(body))).toBeLessThan(2 * body.length);
  });

  it.each([
    ['a key of more than 128 characters', `secret_${'x'.repeat(150)}`],
    ['a key that begins with a colon', ': password'],
    ['a key behind a quote and backslashes', '\\\\"\\\\ token'],
    ['a key in another script', `${'\u5bc6'.repeat(60)} password`],
  ])('finds %s', (_case, key) => {
    const event = { message: 'a \\"quoted\\" text', context: { [key]: 'x' } };
    expect(sanitize(event)).not.toEqual(event);
    expect(mayNeed(JSON.stringify(event))).toBe(true);
  });

  /** JSON text with any letter of any key possibly escaped. */
  const disguised = (key: string) =>
    fc
      .array(fc.constantFrom('plain', 'escape', 'ESCAPE'), {
        minLength: key.length,
        maxLength: key.length,
      })
      .map((ways) => [...key].map((letter, i) => spell(letter, ways[i] ?? 'plain')).join(''));

  function spell(letter: string, way: string): string {
    const code = letter.charCodeAt(0).toString(16).padStart(4, '0');
    if (way === 'escape') return `\\u${code}`;
    return way === 'ESCAPE' ? `\\u${code.toUpperCase()}` : letter;
  }

  it('never misses a listed key, and the rewriting redacts it', () => {
    const listed = fc
      .constantFrom('password', 'set-cookie', 'x-api-key', 'CARD_NUMBER', 'newSecret')
      .chain(disguised);
    const wrapping = fc.array(fc.constantFrom('{"a":%}', '[%]', '{"b":1,"c":[null,%]}', '{"__proto__":%}'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(listed, wrapping, fc.string(), (key, wrappers, secret) => {
        const value = `${secret}-canary`;
        const inner = `{"${key}":${JSON.stringify(value)}}`;
        const text = wrappers.reduce((content, wrapper) => wrapper.replace('%', () => content), inner);
        const body = `{"events":[{"context":{"x":${text}}}]}`;
        expect(mayNeed(body)).toBe(true);
        const event = JSON.parse(body).events[0];
        const stored = JSON.stringify(sanitize(event));
        expect(stored).toContain('"[REDACTED]"');
        expect(stored).not.toContain('-canary');
      }),
    );
  });

  it('says no only for bodies that the rewriting would not change', () => {
    const key = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'password',
        'apiKey',
        'pin',
        'tokens',
        'auth',
        'cookie_name',
        'user',
        'user_id',
        'id',
        'project_token',
        'to\u212aen',
        '\u017fecret',
      ),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 1, 'x', true),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('context', 'payload', 'project_token', 'x'), value),
        (event) => {
          const text = JSON.stringify(event);
          if (!mayNeed(text)) expect(JSON.stringify(sanitize(JSON.parse(text)))).toBe(text);
        },
      ),
      { numRuns: 500 },
    );
  });
});
