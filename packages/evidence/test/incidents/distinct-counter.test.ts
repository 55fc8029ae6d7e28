import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifierHash } from '../../src/events/redact/identifier-hash.ts';
import {
  addToSketch,
  applyChanges,
  EXACT_MEMBERS_MAX,
  estimateDistinct,
  SKETCH_REGISTERS,
} from '../../src/incidents/distinct-counter.ts';

function members(count: number, prefix = 'user'): bigint[] {
  return Array.from({ length: count }, (_, i) => identifierHash(`${prefix}-${i}`));
}

function estimateOf(count: number, prefix = 'user'): number {
  const { registers } = addToSketch(null, members(count, prefix));
  return estimateDistinct({ exactCount: 0, registers });
}

describe('the exact range', () => {
  it('shows the number of members as it is', () => {
    expect(estimateDistinct({ exactCount: 0, registers: null })).toBe(0);
    expect(estimateDistinct({ exactCount: 987, registers: null })).toBe(987);
    expect(estimateDistinct({ exactCount: EXACT_MEMBERS_MAX, registers: null })).toBe(1000);
  });
});

describe('the sketch', () => {
  it.each([1001, 1500, 3000, 7000, 10_000, 12_000, 20_000, 50_000, 200_000])(
    'estimates %i within three standard errors',
    (count) => {
      const estimate = estimateOf(count);
      // Three times the standard error of 1.6 percent, and what rounding to two digits may add.
      const halfStep = 10 ** (Math.floor(Math.log10(estimate)) - 1) / 2;
      expect(Math.abs(estimate - count)).toBeLessThanOrEqual(0.049 * count + halfStep);
      expect(estimate).toBe(Number(estimate.toPrecision(2)));
    },
  );

  it('is off by about 1.6 percent, not more, over many sets', () => {
    const errors: number[] = [];
    for (let set = 0; set < 40; set++) {
      const { registers } = addToSketch(null, members(4000, `set${set}`));
      // 4000 is on the grid of two digits, so rounding adds at most 50.
      errors.push((estimateDistinct({ exactCount: 0, registers }) - 4000) / 4000);
    }
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const rootMeanSquare = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(rootMeanSquare).toBeLessThan(0.025);
  });

  it('never falls below the exact range that it follows', () => {
    expect(estimateOf(990)).toBe(1000);
    expect(estimateOf(1)).toBe(1000);
  });

  it('does not depend on order, batches or repetitions', () => {
    const all = members(300);
    const expected = addToSketch(null, all).registers;
    fc.assert(
      fc.property(
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.integer({ min: 1, max: 299 }),
        (shuffled, cut) => {
          const first = addToSketch(null, shuffled.slice(0, cut)).registers;
          const both = addToSketch(first, [...shuffled.slice(cut), ...shuffled.slice(0, 7)]).registers;
          expect(Buffer.from(both).equals(Buffer.from(expected))).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('leaves the given registers alone and says what changed', () => {
    const before = addToSketch(null, members(2000)).registers;
    const copy = Uint8Array.from(before);
    expect(addToSketch(before, members(2000))).toEqual({ registers: before, changes: new Uint8Array() });
    expect(addToSketch(before, members(2000, 'other')).changes.length).toBeGreaterThan(0);
    expect(before).toEqual(copy);
  });

  it('is the same by its changes, whether or not some of them are in it already', () => {
    const empty = addToSketch(null, []).registers;
    const first = addToSketch(empty, members(3000));
    const second = addToSketch(first.registers, members(5000, 'other'));
    const changes = Buffer.concat([first.changes, second.changes]);
    expect(applyChanges(empty, changes)).toEqual(second.registers);
    expect(applyChanges(first.registers, changes)).toEqual(second.registers);
    expect(applyChanges(second.registers, changes)).toEqual(second.registers);
    expect(empty).toEqual(new Uint8Array(SKETCH_REGISTERS));
    expect(applyChanges(first.registers, new Uint8Array())).toEqual(first.registers);
  });

  it('survives the database: bytes and signed numbers come back as they went', () => {
    const registers = addToSketch(null, members(5000)).registers;
    const stored = Buffer.from(Buffer.from(registers).toString('hex'), 'hex');
    expect(estimateDistinct({ exactCount: 0, registers: stored })).toBe(
      estimateDistinct({ exactCount: 0, registers }),
    );
    expect(members(50).some((member) => member < 0n)).toBe(true);
    for (const member of members(50)) expect(BigInt.asIntN(64, member)).toBe(member);
  });

  it('refuses registers of another size', () => {
    expect(() => addToSketch(new Uint8Array(16), [])).toThrow(RangeError);
    expect(() => applyChanges(new Uint8Array(16), new Uint8Array())).toThrow(RangeError);
    expect(() => applyChanges(new Uint8Array(SKETCH_REGISTERS), new Uint8Array(4))).toThrow(RangeError);
    expect(SKETCH_REGISTERS).toBe(4096);
  });

  it('takes every 64-bit number', () => {
    for (const member of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 1n, 2n ** 31n, 2n ** 32n, 2n ** 51n]) {
      const { registers } = addToSketch(null, [member]);
      const bits = BigInt.asUintN(64, member).toString(2).padStart(64, '0');
      const index = Number.parseInt(bits.slice(0, 12), 2);
      const firstOne = bits.slice(12).indexOf('1');
      expect(registers[index]).toBe(firstOne === -1 ? 53 : firstOne + 1);
    }
  });
});

describe('member hashes', () => {
  it('are the same on every machine', () => {
    // The first eight bytes of SHA-256 of "user-1".
    expect(BigInt.asUintN(64, identifierHash('user-1')).toString(16)).toBe('c6c289e49e9c05b2');
  });
});
