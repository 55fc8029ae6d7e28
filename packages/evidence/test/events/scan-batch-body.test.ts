import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runThrough, slicesOf } from '../../../server/test/support/run-through.ts';
import {
  type BatchScan,
  type LimitFault,
  RUN_WORK_MAX,
  type ScanLimits,
  scanBatchBody,
} from '../../src/events/envelope/scan-batch-body.ts';
import { SLICE_BYTES, WORK_PER_BYTE } from '../../src/events/envelope/sliced.ts';

const LIMITS = { depthMax: 32, nodesMax: 20000 } as const;

function scanBytes(bytes: Buffer, limits: ScanLimits = LIMITS): BatchScan {
  return runThrough(scanBatchBody(bytes, limits, () => true));
}

function scan(text: string): BatchScan {
  return scanBytes(Buffer.from(text));
}

/** The limit that each item is over, or null. */
function limitFaults(text: string, limits: ScanLimits = LIMITS): (LimitFault | null)[] {
  const found = scanBytes(Buffer.from(text), limits);
  if (!found.ok) throw new Error('refused');
  const faults: (LimitFault | null)[] = [];
  for (const { end, overLimit } of found.runs) while (faults.length < end) faults.push(overLimit);
  return faults;
}

/** The bytes of each item the scan found, or null. */
function items(text: string): string[] | null {
  const bytes = Buffer.from(text);
  const found = scanBytes(bytes);
  if (!found.ok) return null;
  const slices: string[] = [];
  for (let i = 0; i < found.eventRanges.length; i += 2) {
    slices.push(bytes.toString('utf8', found.eventRanges[i], found.eventRanges[i + 1]));
  }
  return slices;
}

/** Levels and values of a parsed value, by the plainest recursion. */
function measure(value: unknown): { depth: number; nodes: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1 };
  const inner = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...inner.map((each) => each.depth)),
    nodes: 1 + inner.reduce((sum, each) => sum + each.nodes, 0),
  };
}

/** A JSON text with whitespace from `gap` between all tokens, and some characters written as escapes. */
function spell(value: unknown, gap: () => string, isEscaping: () => boolean): string {
  if (typeof value === 'string') {
    const letters = value.split('').map((unit) => {
      if (isEscaping()) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      return JSON.stringify(unit).slice(1, -1);
    });
    return `"${letters.join('')}"`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${gap()}${value.map((each) => spell(each, gap, isEscaping)).join(`${gap()},${gap()}`)}${gap()}]`;
  }
  const members = Object.entries(value).map(
    ([key, each]) => `${spell(key, gap, isEscaping)}${gap()}:${gap()}${spell(each, gap, isEscaping)}`,
  );
  return `{${gap()}${members.join(`${gap()},${gap()}`)}${gap()}}`;
}

/** Text that a careless scanner trips over, mixed with any text, sometimes longer than the near search. */
const trickyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        '\\',
        '\\"',
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '\n',
        'events',
        'é',
        '😀',
        '\u2028',
        ' ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.integer({ min: 28, max: 40 }).map((length) => 'a'.repeat(length)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      trickyText,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(trickyText, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** A reproducible choice per token, drawn by fast-check. */
const choices = fc.array(fc.nat({ max: 255 }), { minLength: 1, maxLength: 64 });
const GAPS = ['', '', '', ' ', '\n', '\t', '\r\n', '  \t\n '];

function speller(drawn: number[]): { gap: () => string; isEscaping: () => boolean } {
  let at = 0;
  const next = () => drawn[at++ % drawn.length] ?? 0;
  return { gap: () => GAPS[next() % GAPS.length] ?? '', isEscaping: () => next() % 7 === 0 };
}

describe('the byte ranges of events', () => {
  it('cut out exactly the items that JSON.parse returns, however the body is spelled', () => {
    fc.assert(
      fc.property(fc.array(anyJson, { maxLength: 6 }), choices, (events, drawn) => {
        const { gap, isEscaping } = speller(drawn);
        const body = `${gap()}${spell({ events }, gap, isEscaping)}${gap()}`;
        const parsed = (JSON.parse(body) as { events: unknown[] }).events;
        const slices = items(body);
        expect(slices?.map((slice) => JSON.parse(slice))).toEqual(parsed);
        expect(slices?.every((slice) => slice.trim() === slice)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('begin and end at the item, not at the whitespace around it', () => {
    expect(items(' {\t"events"\r\n: [ {"a":1} ,\n 12\t,"x" , null ] } \n')).toEqual([
      '{"a":1}',
      '12',
      '"x"',
      'null',
    ]);
  });

  it('are none for an empty array', () => {
    expect(items('{"events":[]}')).toEqual([]);
    expect(items('{"events":[ \n]}')).toEqual([]);
  });

  it('count bytes, not characters', () => {
    expect(items('{"events":["é😀",{"ü":"日本"},3]}')).toEqual(['"é😀"', '{"ü":"日本"}', '3']);
  });

  it('hold for many more events than an ordinary batch has', () => {
    const body = `{"events":[${Array.from({ length: 5000 }, (_, index) => index).join(',')}]}`;
    expect(items(body)).toEqual(Array.from({ length: 5000 }, (_, index) => String(index)));
  });

  it.each([1, 2, 30, 31, 32, 33, 34, 63, 64, 65, 500])(
    'see the end of a string of %i characters before an escaped or plain quote',
    (length) => {
      const events = [
        'a'.repeat(length),
        `${'a'.repeat(length)}"`,
        `${'a'.repeat(length)}\\`,
        `${'\\'.repeat(length)}"`,
        `"${'a'.repeat(length)}"]}`,
        '"'.repeat(length),
      ];
      expect(items(JSON.stringify({ events }))).toEqual(events.map((event) => JSON.stringify(event)));
    },
  );
});

describe('the limits of an event', () => {
  it('agree with a recursive count for any events', () => {
    fc.assert(
      fc.property(
        fc.array(anyJson, { maxLength: 4 }),
        choices,
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 0, max: 25 }),
        (events, drawn, depthMax, nodesMax) => {
          const { gap, isEscaping } = speller(drawn);
          const body = spell({ events }, gap, isEscaping);
          const parsed = (JSON.parse(body) as { events: unknown[] }).events;
          const expected = parsed.map((event) => {
            const { depth, nodes } = measure(event);
            return depth > depthMax ? 'depth' : nodes > nodesMax ? 'nodes' : null;
          });
          // The type fixes the contract's numbers; small ones make both outcomes frequent.
          const limits = { depthMax, nodesMax } as unknown as typeof LIMITS;
          expect(limitFaults(body, limits)).toEqual(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('allow 32 levels, the event itself being the first, and refuse 33', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(limitFaults(`{"events":[${nested(32)}]}`)).toEqual([null]);
    expect(limitFaults(`{"events":[${nested(33)}]}`)).toEqual(['depth']);
    expect(limitFaults(`{"events":[{}, ${nested(33)},{}]}`)).toEqual([null, 'depth', null]);
    expect(limitFaults(`{"events":[${'{"a":'.repeat(32)}1${'}'.repeat(32)}]}`)).toEqual([null]);
    expect(limitFaults(`{"events":[${'{"a":'.repeat(33)}1${'}'.repeat(33)}]}`)).toEqual(['depth']);
  });

  it('allow 20,000 values in one event, keys not counted, and refuse one more', () => {
    const withValues = (count: number) =>
      `{"list":[${Array(count - 2)
        .fill('7')
        .join(',')}]}`;
    expect(limitFaults(`{"events":[${withValues(20_000)}]}`)).toEqual([null]);
    expect(limitFaults(`{"events":[${withValues(20_001)}]}`)).toEqual(['nodes']);
    const members = (count: number) =>
      `{${Array.from({ length: count - 1 }, (_, index) => `"k${index}":"v"`).join(',')}}`;
    expect(limitFaults(`{"events":[${members(20_000)},${members(20_001)},7]}`)).toEqual([
      null,
      'nodes',
      null,
    ]);
  });

  it('count each event alone', () => {
    const half = `{"list":[${Array(15_000).fill('1').join(',')}]}`;
    expect(limitFaults(`{"events":[${half},${half},${half}]}`)).toEqual([null, null, null]);
  });

  it('end a body of a million open brackets without recursion', () => {
    expect(scan(`{"events":[${'['.repeat(1_000_000)}`).ok).toBe(false);
    expect(scan('['.repeat(1_000_000)).ok).toBe(false);
  });
});

describe('a body of a megabyte', () => {
  /** Bytes that the longest token may go beyond a slice. */
  const TOKEN_BYTES_MAX = 64;

  it.each([
    ['empty objects', '{}', 349_000],
    ['numbers', '7', 524_000],
    ['wide objects', `{${Array.from({ length: 9000 }, (_, index) => `"k${index}":1`).join()}}`, 11],
    ['one list', `[${'1,'.repeat(520_000)}1]`, 1],
    ['one pile of brackets', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, 1],
  ])('of %s is scanned in slices', (_name, item, count) => {
    const body = Buffer.from(`{"events":[${Array(count).fill(item).join()}]}`);
    const { result, slices } = slicesOf(scanBatchBody(body, LIMITS, () => true));
    expect(result.eventRanges).toHaveLength(2 * count);
    const bytes = slices.map((work) => work / WORK_PER_BYTE);
    expect(Math.max(...bytes)).toBe(SLICE_BYTES);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(
      body.length - slices.length * TOKEN_BYTES_MAX,
    );
  });

  it('is divided into runs of bounded work, each of which ends with a whole item', () => {
    const event = `{"list":[${'1,'.repeat(200)}1]}`;
    const scanned = scan(`{"events":[${Array(2000).fill(event).join()}]}`);
    if (!scanned.ok) throw new Error('refused');
    const { runs } = scanned;
    expect(runs.length).toBeGreaterThan(100);
    expect(runs.at(-1)?.end).toBe(2000);
    const perEvent = (runs[0]?.work ?? 0) / (runs[0]?.end ?? 1);
    for (const { work } of runs) expect(work).toBeLessThan(RUN_WORK_MAX + perEvent);
  });

  it('is given up as soon as there is no room for what was found', () => {
    const body = Buffer.from(`{"events":[${Array(349_000).fill('{}').join()}]}`);
    const seen: number[] = [];
    const scanned = runThrough(
      scanBatchBody(body, LIMITS, ({ items }) => {
        seen.push(items);
        return items < 50_000;
      }),
    );
    expect(scanned).toMatchObject({ ok: false, isCrowded: true });
    expect(seen.filter((items) => items >= 50_000)).toHaveLength(1);
  });
});

describe('a body that is not an object with the only key events', () => {
  it.each([
    ['an empty body', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['an object without keys', '{}'],
    ['another key', '{"batch":[]}'],
    ['a longer key', '{"eventss":[]}'],
    ['a key that only begins so', '{"event":[]}'],
    ['a key in another case', '{"Events":[]}'],
    ['a key beside events', '{"events":[],"x":1}'],
    ['a key before events', '{"x":1,"events":[]}'],
    ['a __proto__ key beside events', '{"events":[],"__proto__":{}}'],
    ['events as an object', '{"events":{}}'],
    ['events as null', '{"events":null}'],
    ['events as a string', '{"events":"[]"}'],
    ['a byte order mark', '\ufeff{"events":[]}'],
    ['bytes behind the object', '{"events":[]}x'],
    ['a comma behind the array', '{"events":[],}'],
    ['a comma behind the last event', '{"events":[1,]}'],
    ['a comma before the first event', '{"events":[,1]}'],
    ['a comma instead of events', '{"events":[,]}'],
    ['no comma between events', '{"events":[{} {}]}'],
    ['a bad escape in the key', '{"\\q":[]}'],
  ])('is refused: %s', (_, body) => {
    expect(scan(body).ok).toBe(false);
  });

  it('is refused when events stands in it twice, of which JSON.parse would keep the last', () => {
    expect(scan('{"events":[1],"events":[2]}').ok).toBe(false);
    expect(scan('{"events":[1],"\\u0065vents":[2]}').ok).toBe(false);
  });

  it('may spell the key with escapes', () => {
    expect(items('{"\\u0065vents":[1]}')).toEqual(['1']);
    expect(items('{"\\u0065\\u0076\\u0065\\u006e\\u0074\\u0073":[1]}')).toEqual(['1']);
    expect(items('{"\\u0065\\u0076\\u0065\\u006E\\u0074\\u0074":[1]}')).toBeNull();
  });

  it('is refused wherever a good body is cut', () => {
    const body = ' { "events" : [ {"a":["b\\"",1.5e3,true]} , "c" , [ ] ] }';
    for (let length = 0; length < body.length; length++) expect(scan(body.slice(0, length)).ok).toBe(false);
    expect(scan(body).ok).toBe(true);
  });

  it('never makes the scan throw or point outside, whatever the bytes', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      '"events"',
      '1',
      'null',
      ' ',
      '\u0000',
      'é',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), fc.boolean(), (tokens, isPrefixed) => {
        const bytes = Buffer.from((isPrefixed ? '{"events":[' : '') + tokens.join(''));
        const found = scanBytes(bytes);
        if (!found.ok) return;
        let last = 0;
        for (const offset of found.eventRanges) {
          expect(offset).toBeGreaterThanOrEqual(last);
          expect(offset).toBeLessThanOrEqual(bytes.length);
          last = offset;
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('is never passed when JSON.parse accepts it with another shape', () => {
    const member = fc.tuple(fc.constantFrom('events', 'x', '__proto__', ''), anyJson);
    fc.assert(
      fc.property(fc.array(member, { maxLength: 3 }), (members) => {
        const body = `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
        const isBatch = members.length === 1 && members[0]?.[0] === 'events' && Array.isArray(members[0][1]);
        expect(scan(body).ok).toBe(isBatch);
      }),
      { numRuns: 1000 },
    );
  });
});
