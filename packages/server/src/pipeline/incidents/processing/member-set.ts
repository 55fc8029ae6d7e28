import {
  addToSketch,
  applyChanges,
  EXACT_MEMBERS_MAX,
  estimateDistinct,
} from '@culprit/evidence/incidents/distinct-counter';

/** A set of members in its stored form: hashes of eight bytes, or the registers of a sketch. */
export interface StoredSet {
  bytes: Uint8Array;
  isEstimate: boolean;
}

/** The result of an addition: the bytes to store beside the set, none, or that the set became a sketch. */
export type SetChange = Uint8Array | 'rewritten';

/** Distinct members, each of `identifierHash`: exactly up to a thousand, then by a sketch. */
export interface MemberSet {
  add(members: Iterable<bigint>): SetChange;
  /** Adds what `add` returned earlier, of the same kind of set. */
  addStored(change: Uint8Array): void;
  /** The number to show. */
  count(): number;
  isEstimate(): boolean;
  stored(): Uint8Array;
  /** The memory that it takes. */
  sizeBytes(): number;
}

const HASH_BYTES = 8;
const SLOTS_MIN = 8;

export function createMemberSet(stored: StoredSet): MemberSet {
  const exact = createExactSet();
  let registers: Uint8Array | null = null;
  let count: number | null = null;
  if (stored.isEstimate) registers = Uint8Array.from(stored.bytes);
  else addAll(stored.bytes);

  function addAll(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES) exact.add(view.getBigInt64(at));
  }

  function addExactly(members: Iterable<bigint>): SetChange {
    const added: bigint[] = [];
    for (const member of members) if (exact.add(member)) added.push(member);
    if (exact.size() <= EXACT_MEMBERS_MAX) return bytesOf(added);
    registers = addToSketch(null, exact.members()).registers;
    exact.clear();
    return 'rewritten';
  }

  return {
    add(members) {
      count = null;
      if (registers === null) return addExactly(members);
      const added = addToSketch(registers, members);
      registers = added.registers;
      return added.changes;
    },
    addStored(change) {
      count = null;
      if (registers !== null) registers = applyChanges(registers, change);
      else addAll(change);
    },
    count() {
      count ??= estimateDistinct({ exactCount: exact.size(), registers });
      return count;
    },
    isEstimate: () => registers !== null,
    stored: () => registers ?? exact.bytes(),
    sizeBytes: () => registers?.length ?? exact.sizeBytes(),
  };
}

function forEachOf(slots: BigInt64Array, take: (member: bigint) => void): void {
  for (let slot = 0; slot < slots.length; slot += 1) {
    const member = slots[slot];
    if (member !== undefined && member !== 0n) take(member);
  }
}

function bytesOf(members: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(members.length * HASH_BYTES);
  const view = new DataView(bytes.buffer);
  members.forEach((member, n) => {
    view.setBigInt64(n * HASH_BYTES, member);
  });
  return bytes;
}

/**
 * A set of 64-bit numbers in one array, half of which is free: a set of the language takes four times the memory. It is
 * gone through by index, because an iterator makes an object of each number, and a full set has two thousand places.
 */
function createExactSet() {
  let slots = new BigInt64Array(SLOTS_MIN);
  let size = 0;

  function place(member: bigint): boolean {
    const mask = slots.length - 1;
    let slot = Number(BigInt.asUintN(32, member)) & mask;
    while (slots[slot] !== 0n) {
      if (slots[slot] === member) return false;
      slot = (slot + 1) & mask;
    }
    slots[slot] = member;
    return true;
  }

  return {
    members(): bigint[] {
      const members: bigint[] = [];
      forEachOf(slots, (member) => void members.push(member));
      return members;
    },
    /** The hashes, in the order of their places. */
    bytes(): Uint8Array {
      const bytes = new Uint8Array(size * HASH_BYTES);
      const view = new DataView(bytes.buffer);
      let at = 0;
      forEachOf(slots, (member) => {
        view.setBigInt64(at, member);
        at += HASH_BYTES;
      });
      return bytes;
    },
    add(member: bigint): boolean {
      // A slot with 0 is free; no text is known whose hash is 0.
      if (member === 0n || !place(member)) return false;
      size += 1;
      if (size * 2 <= slots.length) return true;
      const full = slots;
      slots = new BigInt64Array(full.length * 2);
      forEachOf(full, place);
      return true;
    },
    clear() {
      slots = new BigInt64Array(SLOTS_MIN);
      size = 0;
    },
    size: () => size,
    sizeBytes: () => slots.byteLength,
  };
}
