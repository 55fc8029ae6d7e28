import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runThrough, slicesOf } from '../../../server/test/support/run-through.ts';
import { findJsonFault } from '../../src/events/envelope/find-json-fault.ts';

function faultOf(text: string) {
  const bytes = Buffer.from(text);
  return runThrough(findJsonFault(bytes, 0, bytes.length));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What a careless reader of JSON takes for JSON, or the other way round. */
const piece = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    ' ',
    '\n',
    '\u000b',
    '\ufeff',
    '"a"',
    '"',
    '\\',
    '"\\u00e9"',
    '"\\u00g0"',
    '"\\v"',
  ],
  ...[
    'true',
    'false',
    'null',
    'nul',
    'NaN',
    '0',
    '-0',
    '01',
    '1.',
    '.5',
    '1.5',
    '1e5',
    '1E+',
    '-',
    '+1',
    '1e-2',
    'é',
  ],
  ...['{"a":', '"\u0001"', '"\u007f"', '[]', '{}'],
);

describe('the first fault of JSON', () => {
  it('is there exactly when JSON.parse finds one', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect([text, faultOf(text) === null]).toEqual([text, isJson(text)]);
      }),
      { numRuns: 5000 },
    );
  });

  it('is none in any JSON, and is found in JSON with one character more, less or changed', () => {
    const change = fc.record({
      at: fc.nat(),
      removed: fc.integer({ min: 0, max: 1 }),
      added: fc.oneof(fc.constant(''), piece),
    });
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, 2), change, (json, indent, { at, removed, added }) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(faultOf(text)).toBeNull();
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + added + text.slice(place + removed);
        if (!changed.isWellFormed()) return;
        expect([changed, faultOf(changed) === null]).toEqual([changed, isJson(changed)]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is looked for between two offsets only', () => {
    const bytes = Buffer.from('}{"a":[1]}]');
    expect(runThrough(findJsonFault(bytes, 1, 10))).toBeNull();
    expect(runThrough(findJsonFault(bytes, 1, 11))).toEqual({ offset: 10, expected: 'the end' });
    expect(runThrough(findJsonFault(bytes, 1, 9))?.offset).toBe(9);
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('of half a million levels of %s is found in slices and without recursion', (_name, open, close) => {
    const levels = Math.floor(1_000_000 / (open.length + close.length));
    const bytes = Buffer.from(`${open.repeat(levels)}1${close.repeat(levels)}`);
    const whole = slicesOf(findJsonFault(bytes, 0, bytes.length));
    expect(whole.result).toBeNull();
    expect(whole.slices.length).toBeGreaterThan(10);
    const cut = bytes.length - 1;
    expect(runThrough(findJsonFault(bytes, 0, cut))?.offset).toBe(cut);
  });
});
