import { describe, expect, it } from 'vitest';
import type { Flag } from '../src/flag.ts';
import { Input } from '../src/input.ts';
import { instantMs } from '../src/instant.ts';

const TIME: Flag = { name: 'time', value: 'TIME', kind: 'time', says: 'when' };

describe('a flag that is a time', () => {
  it.each([
    ['2026-03-24T10:30:00Z', '2026-03-24T10:30:00.000Z'],
    ['2026-W13-2T10:30:60Z', '2026-03-24T10:31:00.000Z'],
    ['20260324T123000,5+0200', '2026-03-24T10:30:00.500Z'],
    ['2026-03-24T11:30:00.123456789123+01:00[Europe/Berlin]', '2026-03-24T10:30:00.123Z'],
  ])('takes %s, as a time of an event is', (text, expected) => {
    expect(new Input([], new Map([['time', text]]), [TIME]).time('time')).toBe(expected);
  });

  it.each(['2027-02-30', ' 2027-02-29T10:00:00Z', '2027-04-31 10:00', '2027-13-01'])(
    'is not %s, a day that no year has',
    (text) => {
      expect(instantMs(text)).toBeNaN();
      expect(() => new Input([], new Map([['time', text]]), [TIME]).time('time')).toThrow(
        'is a time such as',
      );
    },
  );
});

it('names the one bound of a number that has no other', () => {
  const flag: Flag = { name: 'users', value: 'N', kind: 'integer', min: 1, says: 'how many' };
  expect(() => new Input([], new Map([['users', '0']]), [flag])).toThrow('--users is at least 1, not "0".');
});
