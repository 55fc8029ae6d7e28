import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedMap, boundedValue } from '../../src/events/envelope/bounded-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/events/envelope/json.ts';
import { charactersRead } from '../support/characters-read.ts';

function bytesOf(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function levelsOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

function nested(levels: number): JsonObject {
  let value: JsonObject = { leaf: 1 };
  for (let i = 1; i < levels; i += 1) value = { a: value };
  return value;
}

function entries(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
}

describe('the bounds of open maps (docs/contract/ingestion.md 1.5)', () => {
  it('keep what fits as it is', () => {
    const value = { text: 'x', list: [1, null, true, { a: [] }], deep: nested(7), '': 0 };
    expect(boundedMap(value)).toEqual(value);
  });

  it('read anything but an object as an empty map', () => {
    for (const value of [undefined, null, [], [1], 'x', 7]) expect(boundedMap(value)).toEqual({});
  });

  it('cut below eight levels', () => {
    expect(boundedMap(nested(8))).toEqual(nested(8));
    expect(JSON.stringify(boundedMap(nested(9)))).toBe(
      JSON.stringify(nested(9)).replace('{"leaf":1}', '"[Truncated]"'),
    );
    expect(boundedMap({ a: [[[[[[[1]]]]]]] })).toEqual({ a: [[[[[[[1]]]]]]] });
    expect(boundedMap({ a: [[[[[[[[1]]]]]]]] })).toEqual({ a: [[[[[[['[Truncated]']]]]]]] });
  });

  it('cut behind 200 keys or items of a level', () => {
    expect(boundedMap(entries(200))).toEqual(entries(200));
    expect(boundedMap(entries(201))).toEqual({ ...entries(200), '[Truncated]': '[Truncated]' });
    const list = Array.from({ length: 250 }, (_, i) => i);
    expect(boundedMap({ list })).toEqual({ list: [...list.slice(0, 200), '[Truncated]'] });
  });

  it('cut at 64 KB of JSON, not before', () => {
    const eight = 'x'.repeat(8_000);
    const fitting: JsonObject = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`k${i}`, eight]));
    fitting.rest = 'y'.repeat(65_536 - bytesOf({ ...fitting, rest: '' }));
    expect(bytesOf(fitting)).toBe(65_536);
    expect(boundedMap(fitting)).toEqual(fitting);
    const larger = boundedMap({ ...fitting, more: 1 });
    expect(bytesOf(larger)).toBeLessThanOrEqual(65_536);
    expect(larger['[Truncated]']).toBe('[Truncated]');
    expect(larger.k7).toBe(eight);
  });

  it('cut long text and long keys with the mark at their end', () => {
    const { [`${'k'.repeat(245)}[Truncated]`]: value } = boundedMap({ ['k'.repeat(300)]: 'x'.repeat(9_000) });
    expect(value).toBe(`${'x'.repeat(8_192 - 11)}[Truncated]`);
    const body = boundedValue('x'.repeat(70_000));
    expect(body).toBe(`${'x'.repeat(65_536 - 11)}[Truncated]`);
  });

  it('make text well formed and free of NUL, numbers finite', () => {
    expect(boundedMap({ 'a\u0000\ud800': 'b\u0000\udfff', n: Number.POSITIVE_INFINITY, z: -0 })).toEqual({
      'a\ufffd\ufffd': 'b\ufffd\ufffd',
      n: null,
      z: 0,
    });
  });

  it('redact listed keys and secrets in text, keys included', () => {
    expect(boundedMap({ Token: { a: 1 }, a: ['Bearer abc123'], svc_mem_x: 1 })).toEqual({
      Token: '[REDACTED]',
      a: ['Bearer [REDACTED]'],
      '[REDACTED]': 1,
    });
  });

  it('keep hostile keys as plain data', () => {
    const map = boundedMap(JSON.parse('{"__proto__":{"polluted":1},"constructor":{"a":1}}'));
    expect(JSON.stringify(map)).toBe('{"__proto__":{"polluted":1},"constructor":{"a":1}}');
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  });

  it('hold for every value', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 10 },
        fc.constantFrom<JsonValue>(null, true, -0, 1e300),
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.constantFrom(
          '\u0001'.repeat(8_000),
          '\u20ac'.repeat(9_000),
          'x'.repeat(70_000),
          '"'.repeat(8_192),
        ),
        fc.array(tie('any'), { maxLength: 6 }),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('any'), { maxKeys: 6 }),
        fc.constant(Array.from({ length: 300 }, () => 'x'.repeat(300))),
      ),
    })).any;
    fc.assert(
      fc.property(value, (given) => {
        const bounded = boundedMap({ given: given as JsonValue });
        expect(bytesOf(bounded)).toBeLessThanOrEqual(65_536);
        expect(levelsOf(bounded)).toBeLessThanOrEqual(8);
        expect(JSON.stringify(bounded)).not.toMatch(/\\u0000|\\ud[89a-f]/);
        const again = JSON.parse(JSON.stringify(bounded));
        expect(isJsonObject(again) && bytesOf(again)).toBe(bytesOf(bounded));
      }),
      { numRuns: 300 },
    );
  });

  it('are cheap to reach', () => {
    const wide = Array.from({ length: 200 }, () => Array.from({ length: 100 }, () => 'x'.repeat(40)));
    const long = 'x'.repeat(900_000);
    const whole = JSON.stringify({ wide, long }).length;
    expect(charactersRead(() => boundedMap({ wide, long }))).toBeLessThan(10 * whole);
  });
});
