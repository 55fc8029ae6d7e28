import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBatch } from '../../src/events/parse-batch.ts';

function parse(text: string): unknown[] | null {
  const parsed = parseBatch(Buffer.from(text));
  return parsed.ok ? parsed.events : null;
}

describe('parseBatch', () => {
  it('returns the events and the bytes of each', () => {
    const body = Buffer.from('{"events":[ {"name":"é"}, 7 ]}');
    const parsed = parseBatch(body);
    if (!parsed.ok) throw new Error('refused');
    expect(parsed.events).toEqual([{ name: 'é' }, 7]);
    const [start, end] = parsed.eventRanges;
    expect(body.toString('utf8', start, end)).toBe('{"name":"é"}');
  });

  it('accepts an empty array of events', () => {
    expect(parse('{"events":[]}')).toEqual([]);
  });

  it('agrees with JSON.parse about every batch', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 5 }), (events) => {
        const text = JSON.stringify({ events });
        expect(parse(text)).toEqual(JSON.parse(text).events);
      }),
    );
  });

  it.each([
    ['no JSON', '{"events":[}'],
    ['brackets that do not match', '{"events":[{]}]}'],
    ['a colon in an array', '{"events":[1:2]}'],
    ['a key without a value', '{"events":[{"a"}]}'],
    ['a bare word', '{"events":[nul]}'],
    ['a control character in a string', '{"events":["a\u0001"]}'],
    ['NaN', '{"events":[NaN]}'],
    ['a leading zero', '{"events":[01]}'],
    ['an unknown key', '{"events":[],"batch":[]}'],
    ['no events', '{}'],
    ['an array', '[]'],
    ['a byte order mark', '\ufeff{"events":[]}'],
    ['nothing', ''],
  ])('refuses %s', (_, body) => {
    expect(parseBatch(Buffer.from(body)).ok).toBe(false);
  });

  it.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['a byte that never occurs', [0xff]],
  ])('refuses a body that is not UTF-8: %s', (_, bad) => {
    const body = Buffer.concat([Buffer.from('{"events":["'), Buffer.from(bad), Buffer.from('"]}')]);
    expect(parseBatch(body).ok).toBe(false);
  });

  it('refuses events that are too deep or hold too many values', () => {
    expect(parse(`{"events":[${'['.repeat(33)}${']'.repeat(33)}]}`)).toBeNull();
    expect(parse(`{"events":[[${'1,'.repeat(19_999)}1]]}`)).toBeNull();
    expect(parse(`{"events":[[${'1,'.repeat(19_998)}1]]}`)).not.toBeNull();
  });

  it('keeps a __proto__ key of an event as an ordinary key', () => {
    const [event] = parse('{"events":[{"__proto__":{"polluted":true}}]}') ?? [];
    expect(Object.keys(event as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
  });

  it('does not refuse the batch for a number beyond the double range, which becomes null when written again', () => {
    const events = parse('{"events":[{"n":1e400,"m":-1e400}]}');
    expect(events).toEqual([{ n: Number.POSITIVE_INFINITY, m: Number.NEGATIVE_INFINITY }]);
    expect(JSON.stringify(events)).toBe('[{"n":null,"m":null}]');
  });
});

describe('room for what a body becomes', () => {
  function reserved(text: string): number {
    let sizeBytes = Number.NaN;
    parseBatch(Buffer.from(text), (asked) => {
      sizeBytes = asked;
      return true;
    });
    return sizeBytes;
  }

  it('is asked for by events and by the objects and lists in them', () => {
    const empty = reserved('{"events":[]}');
    const oneNumber = reserved('{"events":[7]}') - empty;
    const oneObject = reserved('{"events":[{}]}') - empty;
    expect(empty).toBe(0);
    expect(oneNumber).toBeGreaterThan(0);
    expect(oneObject).toBeGreaterThan(oneNumber);
    const container = oneObject - oneNumber;
    expect(reserved('{"events":[{"a":[[],{}],"b":"[{[{"}]}')).toBe(oneNumber + 4 * container);
    expect(reserved('{"events":[7,{},[7,8]]}')).toBe(3 * oneNumber + 2 * container);
  });

  it('is never more than a body that comes alone may take', () => {
    expect(reserved(`{"events":[${'{},'.repeat(349_000)}{}]}`)).toBe(
      reserved(`{"events":[${'[],'.repeat(300_000)}[]]}`),
    );
  });

  it('is asked for before anything is parsed; without it the body counts as crowded out', () => {
    expect(parseBatch(Buffer.from('{"events":[7,}]}'), () => false)).toEqual({ ok: false, isCrowded: false });
    expect(parseBatch(Buffer.from('{"events":[nul]}'), () => false)).toEqual({ ok: false, isCrowded: true });
    expect(parseBatch(Buffer.from('{"events":[nul]}'), () => true)).toEqual({ ok: false, isCrowded: false });
  });
});
