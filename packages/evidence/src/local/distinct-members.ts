import { addToSketch, EXACT_MEMBERS_MAX, estimateDistinct } from '../incidents/distinct-counter.ts';

/** Counts distinct members as the server does: exactly up to a thousand, then by a sketch. */
export interface DistinctMembers {
  /** @param members each of `identifierHash` */
  add(members: ReadonlySet<bigint>): void;
  count(): number;
}

export function createDistinctMembers(): DistinctMembers {
  const exact = new Set<bigint>();
  let registers: Uint8Array | null = null;
  return {
    add(members) {
      if (registers === null && exact.size < EXACT_MEMBERS_MAX) {
        for (const member of members) exact.add(member);
        return;
      }
      // The exact set becomes a sketch with the first member beyond its size.
      const added = registers === null ? new Set([...exact, ...members]) : members;
      registers = addToSketch(registers, added).registers;
      exact.clear();
    },
    count: () => estimateDistinct({ exactCount: exact.size, registers }),
  };
}
