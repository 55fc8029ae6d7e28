import { decodeCursor, decodeTimeCursor, encodeCursor } from '@culprit/contract/schemas/pagination';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const part = fc.string({ unit: 'grapheme', maxLength: 200 });
const timeMs = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 31) });

describe('a cursor', () => {
  it('gives back its parts, whatever stands in them', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(decodeCursor(encodeCursor(parts), parts.length)).toEqual(parts);
      }),
    );
  });

  it('is read only with the number of parts it was made of', () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        (parts, count) => {
          fc.pre(count !== parts.length);
          expect(decodeCursor(encodeCursor(parts), count)).toBeNull();
        },
      ),
    );
  });

  it('never throws, and has one spelling per place', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('%', '|', 'a', '4', '1', 'é') }),
        ),
        fc.integer({ min: 1, max: 4 }),
        (text, count) => {
          const parts = decodeCursor(text, count);
          if (parts !== null) expect(encodeCursor(parts)).toBe(text);
        },
      ),
    );
  });

  it('of an incident is `<time>|<id>` as the contract writes it', () => {
    const text = '2026-03-24T10:30:00.000Z|inc_550e8400-e29b-41d4-a716-446655440000';
    expect(encodeCursor(text.split('|'))).toBe(text);
    expect(decodeTimeCursor(text)).toEqual({
      timeMs: Date.UTC(2026, 2, 24, 10, 30),
      key: 'inc_550e8400-e29b-41d4-a716-446655440000',
    });
  });

  it('of a service has its parts percent-encoded', () => {
    const parts = ['api | gateway', 'prod/eu', '550e8400-e29b-41d4-a716-446655440000'];
    expect(encodeCursor(parts)).toBe('api%20%7C%20gateway|prod%2Feu|550e8400-e29b-41d4-a716-446655440000');
  });

  it('with a time gives back any time and any key', () => {
    fc.assert(
      fc.property(timeMs, part, (time, key) => {
        fc.pre(key !== '');
        expect(decodeTimeCursor(encodeCursor([formatTimestamp(time), key]))).toEqual({ timeMs: time, key });
      }),
    );
  });

  it.each([
    'zzz',
    '',
    '|',
    '2026-03-24T10:30:00.000Z',
    '2026-03-24T10:30:00.000Z|',
    '|inc_1',
    '2026-03-24T10:30:00Z|inc_1',
    '2026-03-24|inc_1',
    '2026-02-30T10:30:00.000Z|inc_1',
    '2026-03-24T10:30:00.000+00:00|inc_1',
    '2026-03-24T10:30:00.000Z|inc_1|x',
    '2026-03-24T10:30:00.000Z|a%zz',
    '2026-03-24T10:30:00.000Z|%69nc_1',
    '2026-03-24T10:30:00.000Z|a b',
    '2026-03-24T10%3A30:00.000Z|inc_1',
    ' 2026-03-24T10:30:00.000Z|inc_1',
    `2026-03-24T10:30:00.000Z|${'a'.repeat(6000)}`,
    "' or 1=1 --|inc_1",
    'NaN|inc_1',
    '1774348200000|inc_1',
  ])('with a time is refused when it is %j', (text) => {
    expect(decodeTimeCursor(text)).toBeNull();
  });
});
