import { batchObjectAt } from './batch-object.ts';
import { MAGIC } from './object-head.ts';
import { DamagedObjectError } from './raw-record.ts';

/**
 * The raw objects that lie one behind the other in some bytes, at least one.
 * @throws DamagedObjectError where they are followed by anything else
 */
export function splitBatchObjects(bytes: Buffer): Buffer[] {
  const objects: Buffer[] = [];
  for (let offset = 0; offset < bytes.length || objects.length === 0; ) {
    const object = batchObjectAt(bytes, offset);
    objects.push(object);
    offset += object.length;
  }
  return objects;
}

/** The content of a file to which raw objects are appended. */
export interface AppendedObjects {
  objects: Buffer[];
  /** Something in it that was whole once is damaged. */
  isDamaged: boolean;
}

/**
 * Returns the raw objects of a file to which they are appended. Bytes at its end that cannot be read are left by a
 * crash during a last write, which was never acknowledged. After damage it continues at the next known end: bytes that
 * look like the beginning of an object may be the content of an event.
 * @param knownEnds offsets after objects that have a row, in ascending order
 */
export function splitAppendedObjects(bytes: Buffer, knownEnds: readonly number[]): AppendedObjects {
  const objects: Buffer[] = [];
  let isDamaged = false;
  for (let offset = 0; offset < bytes.length; ) {
    try {
      const object = batchObjectAt(bytes, offset);
      objects.push(object);
      offset += object.length;
    } catch (error) {
      if (!(error instanceof DamagedObjectError)) throw error;
      const damagedAt = offset;
      const next = knownEnds.find((end) => end > damagedAt);
      if (next === undefined) return { objects, isDamaged: isDamaged || seemsToGoOn(bytes, offset) };
      isDamaged = true;
      offset = next;
    }
  }
  return { objects, isDamaged };
}

/** Places behind damage at which another object is looked for. */
const BEGINNINGS_MAX = 1000;

/** Returns true if a whole object seems to follow one that cannot be read. */
function seemsToGoOn(bytes: Buffer, damagedAt: number): boolean {
  let at = damagedAt;
  for (let looks = 0; looks < BEGINNINGS_MAX; looks += 1) {
    at = bytes.indexOf(MAGIC, at + 1);
    if (at === -1) return false;
    try {
      batchObjectAt(bytes, at);
      return true;
    } catch (error) {
      if (!(error instanceof DamagedObjectError)) throw error;
    }
  }
  return true;
}
