/** Members are counted exactly up to here, then estimated (docs/contract/incidents.md 5.11). */
export const EXACT_MEMBERS_MAX = 1000;

/** One byte each. The standard error of an estimate is 1.04 / sqrt(4096) = 1.6 percent. */
export const SKETCH_REGISTERS = 4096;

const INDEX_BITS = 12;
/** Bits of a member's hash that are left for the rank. */
const RANK_BITS = 64 - INDEX_BITS;

/** Bytes of a change: the register in two, its new value in one. */
const CHANGE_BYTES = 3;

/**
 * The sketch with these members (of `identifierHash`) added; null starts an empty one. The given registers stay
 * untouched. `applyChanges` with `changes` makes the same sketch of them (of an empty one for null). `changes` are empty
 * when every member was already covered, which is the usual case and saves the caller a write. The registers do not
 * depend on order, batches or repetitions.
 */
export function addToSketch(
  registers: Uint8Array | null,
  members: Iterable<bigint>,
): { registers: Uint8Array; changes: Uint8Array } {
  const next = registers === null ? new Uint8Array(SKETCH_REGISTERS) : copyOf(registers);
  const changed = new Set<number>();
  for (const member of members) {
    const bits = BigInt.asUintN(64, member);
    const index = Number(bits >> BigInt(RANK_BITS));
    const rank = rankOf(bits);
    if (rank > (next[index] ?? 0)) {
      next[index] = rank;
      changed.add(index);
    }
  }
  const changes = new Uint8Array(changed.size * CHANGE_BYTES);
  let at = 0;
  for (const index of changed) {
    changes.set([index >> 8, index & 0xff, next[index] ?? 0], at);
    at += CHANGE_BYTES;
  }
  return { registers: next, changes };
}

/**
 * The sketch with changes of `addToSketch` applied, one after the other as they came. The given registers stay
 * untouched. As registers only grow, a change that is already in them does no harm.
 */
export function applyChanges(registers: Uint8Array, changes: Uint8Array): Uint8Array {
  if (changes.length % CHANGE_BYTES !== 0) {
    throw new RangeError(`Changes of a sketch take ${CHANGE_BYTES} bytes each, got ${changes.length} bytes`);
  }
  const next = copyOf(registers);
  for (let at = 0; at < changes.length; at += CHANGE_BYTES) {
    const index = ((changes[at] ?? 0) << 8) | (changes[at + 1] ?? 0);
    next[index] = Math.max(next[index] ?? 0, changes[at + 2] ?? 0);
  }
  return next;
}

function copyOf(registers: Uint8Array): Uint8Array {
  if (registers.length !== SKETCH_REGISTERS) {
    throw new RangeError(`A sketch has ${SKETCH_REGISTERS} registers, got ${registers.length}`);
  }
  return Uint8Array.from(registers);
}

/** Position of the first set bit after the index bits, from 1; one more than all of them when none is set. */
function rankOf(bits: bigint): number {
  const high = Number((bits >> 32n) & ((1n << BigInt(RANK_BITS - 32)) - 1n));
  if (high !== 0) return Math.clz32(high) - INDEX_BITS + 1;
  return RANK_BITS - 32 + Math.clz32(Number(bits & 0xffff_ffffn)) + 1;
}

/**
 * The number to show: the exact count while there is no sketch, else the sketch's estimate rounded to two
 * significant digits.
 */
export function estimateDistinct(counter: { exactCount: number; registers: Uint8Array | null }): number {
  if (counter.registers === null) return counter.exactCount;
  const estimate = estimateSketch(counter.registers);
  // A sketch exists only above the exact range, so a low estimate is an error of the sketch.
  return Math.max(EXACT_MEMBERS_MAX, roundToTwoDigits(estimate));
}

/**
 * Cardinality from the histogram of register values, with the corrections for empty and full registers of the
 * improved HyperLogLog estimator (Ertl 2017). It needs no table of biases and no switch between methods.
 */
function estimateSketch(registers: Uint8Array): number {
  // One entry for each byte there is: what is beyond the highest rank counts as that.
  const histogram = new Uint32Array(256);
  for (let index = 0; index < registers.length; index += 1) {
    const rank = registers[index] ?? 0;
    histogram[rank] = (histogram[rank] ?? 0) + 1;
  }
  const full = histogram.subarray(RANK_BITS + 1).reduce((sum, count) => sum + count, 0);
  let z = SKETCH_REGISTERS * tau(1 - full / SKETCH_REGISTERS);
  for (let rank = RANK_BITS; rank >= 1; rank--) z = 0.5 * (z + (histogram[rank] ?? 0));
  z += SKETCH_REGISTERS * sigma((histogram[0] ?? 0) / SKETCH_REGISTERS);
  return (SKETCH_REGISTERS * SKETCH_REGISTERS) / (2 * Math.LN2 * z);
}

/** Correction for the share of registers that nothing has touched. Doubles its exponent, so it ends within 64 turns. */
function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let power = share;
  let weight = 1;
  let sum = share;
  for (let turn = 0; turn < 64; turn++) {
    power *= power;
    const previous = sum;
    sum += power * weight;
    weight += weight;
    if (sum === previous) break;
  }
  return sum;
}

/** Correction for the share of registers at their maximum. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let root = share;
  let weight = 1;
  let sum = 1 - share;
  for (let turn = 0; turn < 128; turn++) {
    root = Math.sqrt(root);
    const previous = sum;
    weight *= 0.5;
    sum -= (1 - root) ** 2 * weight;
    if (sum === previous) break;
  }
  return sum / 3;
}

function roundToTwoDigits(value: number): number {
  if (value < 100) return Math.round(value);
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Math.round(value / step) * step;
}
