import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runThrough } from '../../../server/test/support/run-through.ts';
import { type EventReader, parseBatch } from '../../src/events/envelope/parse-batch.ts';

/** Keeps what it is given. */
function startReader() {
  const items: unknown[] = [];
  const reader: EventReader & { items: unknown[] } = {
    items,
    events: (events) => void items.push(...events),
    overLimit: (fault) => void items.push({ overLimit: fault }),
  };
  return reader;
}

function parseBytes(bytes: Buffer) {
  return runThrough(parseBatch(bytes, startReader));
}

function parse(text: string): unknown[] | null {
  const parsed = parseBytes(Buffer.from(text));
  return parsed.ok ? parsed.reader.items : null;
}

function reasonOf(text: string): string {
  const parsed = parseBytes(Buffer.from(text));
  if (parsed.ok || parsed.isCrowded) throw new Error('not refused');
  return parsed.reason;
}

describe('parseBatch', () => {
  it('returns the events and the bytes of each', () => {
    const body = Buffer.from('{"events":[ {"name":"é"}, 7 ]}');
    const parsed = parseBytes(body);
    if (!parsed.ok) throw new Error('refused');
    expect(parsed.reader.items).toEqual([{ name: 'é' }, 7]);
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
    ['nan', '{"events":[nan]}'],
    ['NaN as a key', '{"events":[{NaN:1}]}'],
    ['a signed NaN', '{"events":[-NaN]}'],
    ['a leading zero', '{"events":[01]}'],
    ['an unknown key', '{"events":[],"batch":[]}'],
    ['no events', '{}'],
    ['an array', '[]'],
    ['a byte order mark after the first character', '{\ufeff"events":[]}'],
    ['two byte order marks', '\ufeff\ufeff{"events":[]}'],
    ['nothing', ''],
  ])('refuses %s', (_, body) => {
    expect(parseBytes(Buffer.from(body)).ok).toBe(false);
  });

  it.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['a byte that never occurs', [0xff]],
    ['Latin-1 before ASCII', [0xfc, 0x62]],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('reads bytes that are no UTF-8 as browsers do: %s', (_, bad) => {
    const body = Buffer.concat([Buffer.from('{"events":["'), Buffer.from(bad), Buffer.from('",7,"ü"]}')]);
    const text = new TextDecoder().decode(Buffer.from(bad));
    expect(text).toContain('\ufffd');
    const result = parseBytes(body);
    expect(result).toMatchObject({ ok: true, body: Buffer.from(`{"events":["${text}",7,"ü"]}`) });
  });

  it('cuts no character where a slice of the repair ends', () => {
    const text = '€'.repeat(40_000);
    const body = Buffer.concat([Buffer.from(`{"events":["${text}`), Buffer.from([0xff]), Buffer.from('"]}')]);
    expect(parseBytes(body)).toMatchObject({ ok: true, body: Buffer.from(`{"events":["${text}\ufffd"]}`) });
  });

  it('passes over a byte order mark without a copy', () => {
    const sent = Buffer.from('\ufeff{"events":[{"a":1}]}');
    const result = parseBytes(sent);
    expect(result).toMatchObject({ ok: true, body: Buffer.from('{"events":[{"a":1}]}') });
    expect(result.ok && result.body.buffer).toBe(sent.buffer);
  });

  it('reads UTF-16 whose byte order mark names it', () => {
    const little = Buffer.from('\ufeff{"events":["ü€😀"]}', 'utf16le');
    for (const sent of [little, Buffer.from(little).swap16()]) {
      expect(parseBytes(sent)).toMatchObject({ ok: true, body: Buffer.from('{"events":["ü€😀"]}') });
    }
  });

  it('asks for room before it repairs', () => {
    const asked: number[] = [];
    const parsing = parseBatch(Buffer.from([0x7b, 0xff]), startReader, (sizeBytes) => {
      asked.push(sizeBytes);
      return false;
    });
    expect(parsing.next()).toEqual({ done: true, value: { ok: false, isCrowded: true } });
    expect(asked).toEqual([6]);
  });

  it('reads the neighbours of events that are too deep or hold too many values', () => {
    const deep = `${'['.repeat(33)}${']'.repeat(33)}`;
    const wide = `[${'1,'.repeat(19_999)}1]`;
    expect(parse(`{"events":[{"a":1},${deep} , 2,${wide},${wide.replace('1,', '')},"x"]}`)).toEqual([
      { a: 1 },
      { overLimit: 'depth' },
      2,
      { overLimit: 'nodes' },
      Array(19_999).fill(1),
      'x',
    ]);
  });

  it.each([
    ['brackets that do not match', `${'['.repeat(33)}}${']'.repeat(32)}`],
    ['a bare word', `${'['.repeat(33)}nul${']'.repeat(33)}`],
    ['an unknown escape', `${'['.repeat(33)}"\\x"${']'.repeat(33)}`],
    ['a comma too many', `[${'1,'.repeat(20_001)}]`],
  ])('refuses the body for %s in an event over the limits', (_, item) => {
    expect(parse(`{"events":[{},${item},{}]}`)).toBeNull();
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

describe('numbers that are no JSON', () => {
  it('are read as null, and stored as null', () => {
    const text = '{"events":[{"a":NaN,"b":[-Infinity , Infinity],"c":"NaN, \\"Infinity"},NaN,{"d":1.5}]}';
    const parsed = parseBytes(Buffer.from(text));
    if (!parsed.ok) throw new Error('refused');
    expect(parsed.reader.items).toEqual([
      { a: null, b: [null, null], c: 'NaN, "Infinity' },
      null,
      { d: 1.5 },
    ]);
    const stored = parsed.reader.items.map((_, index) =>
      parsed.body.toString('utf8', parsed.eventRanges[2 * index], parsed.eventRanges[2 * index + 1]),
    );
    expect(stored).toEqual(['{"a":null,"b":[null , null],"c":"NaN, \\"Infinity"}', 'null', '{"d":1.5}']);
  });

  it('are read in events over the limits as well', () => {
    const deep = `${'['.repeat(33)}NaN${']'.repeat(33)}`;
    expect(parse(`{"events":[7,${deep}]}`)).toEqual([7, { overLimit: 'depth' }]);
  });

  it('leave everything else as it is: the batch is what it would be with null in their place', () => {
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('@NaN@', '@Infinity@', '@-Infinity@', 'NaN', ' Infinity', '\\"NaN', 7, null, -1.5e3),
        fc.string(),
        fc.array(tie('value'), { maxLength: 4 }),
        // No key that holds a backslash: where an earlier object had the key `\`, JSON.parse of Node 24 reads the
        // key `"` of a later one as `\` too (nodejs/node issue 63785).
        fc.dictionary(fc.constantFrom('a', 'NaN', '"', ','), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), (events) => {
        const text = JSON.stringify({ events });
        const sent = text.replaceAll(/"@(NaN|-?Infinity)@"/g, '$1');
        const expected = JSON.parse(text.replaceAll(/"@(?:NaN|-?Infinity)@"/g, 'null')).events;
        expect(JSON.stringify(parse(sent))).toBe(JSON.stringify(expected));
      }),
    );
  });

  it('cost no more memory than the body once more', () => {
    let reservedBytes = 0;
    const body = Buffer.from(`{"events":[${'NaN,'.repeat(999)}NaN]}`);
    runThrough(
      parseBatch(body, startReader, (sizeBytes) => {
        reservedBytes += sizeBytes;
        return true;
      }),
    );
    expect(reservedBytes).toBe(1000 * 40 + body.length + 1000);
  });
});

describe('the reason why a body is refused', () => {
  it.each([
    ['{"events":[{"a":1},{"a":nan}]}', '/events/1 is not JSON at byte 24: a value was expected, not nan'],
    ['{"events":[{"a":NaN},{"a":None}]}', '/events/1 is not JSON at byte 26: a value was expected, not None'],
    [
      "{'events':[]}",
      'the body is not JSON at byte 1: a key in quotes or the end of the object was expected',
    ],
    ['{"events":[{"a":1,}]}', '/events/0 is not JSON at byte 18: a key in quotes was expected'],
    ['{"events":[1,]}', 'the body is not JSON at byte 13: a value was expected'],
    [
      '{"events":[1 2]}',
      'the body is not JSON at byte 13: a comma or the end of the list or object was expected, not 2',
    ],
    ['{"events":[{"a" 1}]}', '/events/0 is not JSON at byte 16: a colon was expected, not 1'],
    ['{"events":[]} x', 'the body is not JSON at byte 14: the end was expected, not x'],
    ['{"events":[', 'the body is not JSON at byte 11: a value or the end of the list was expected'],
    ['', 'the body is not JSON at byte 0: a value was expected'],
    [
      '{"events":["\\x41"]}',
      '/events/0 is not JSON at byte 12: text with its closing quote, without control characters, and with escapes of JSON was expected',
    ],
    ['{"events":[],"batch":[]}', 'the body must be an object with the single key "events", a list'],
    ['[]', 'the body must be an object with the single key "events", a list'],
  ])('of %s names the place and what was expected there', (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  it('of bytes that are no text names the first', () => {
    expect(parseBytes(Buffer.from([0x7b, 0xff]))).toEqual({
      ok: false,
      isCrowded: false,
      reason: 'the body is not JSON at byte 1: a key in quotes or the end of the object was expected',
    });
  });

  it('is ASCII of bounded length, whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const parsed = parseBytes(Buffer.from(`{"events":[${text}`));
        if (parsed.ok || parsed.isCrowded) return;
        expect(parsed.reason).toMatch(/^[ -~]{1,200}$/);
      }),
    );
  });
});

describe('room for what a body becomes', () => {
  function reserved(text: string): number {
    let sizeBytes = 0;
    runThrough(
      parseBatch(Buffer.from(text), startReader, (asked) => {
        sizeBytes += asked;
        return true;
      }),
    );
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
    const parsed = (text: string, hasRoom: boolean) =>
      runThrough(parseBatch(Buffer.from(text), startReader, () => hasRoom));
    expect(parsed('{"events":[7,}]}', false)).toMatchObject({ ok: false, isCrowded: false });
    expect(parsed('{"events":[nul]}', false)).toEqual({ ok: false, isCrowded: true });
    expect(parsed('{"events":[nul]}', true)).toMatchObject({ ok: false, isCrowded: false });
  });
});
