import { randomUUID } from 'node:crypto';
import { isAbsence } from './file-operations.ts';
import {
  assertObjectKey,
  OBJECT_BYTES_MAX,
  type ObjectPlace,
  ObjectStoreUnavailableError,
} from './object-store.ts';
import type { TimeLimit } from './time-limit.ts';

/** An object that only this process appends to. */
interface GrowingObject {
  key: string;
  /** The position of the next bytes. After a failure there may be more bytes, which nothing names. */
  endBytes: number;
}

interface GrowingObjects {
  /** @throws ObjectStoreUnavailableError */
  append(prefix: string, bytes: Buffer): Promise<ObjectPlace>;
}

/** An object of this size no longer grows. */
const GROWN_BYTES_MAX = 4 * 1024 * 1024;
/** The number of remembered objects, some 500 bytes each. A forgotten one no longer grows. */
const REMEMBERED_MAX = 20_000;

interface Line {
  waiting: { bytes: Buffer; resolve: (place: ObjectPlace) => void; reject: (error: unknown) => void }[];
  /** Null: the next bytes begin a new object. */
  object: GrowingObject | null;
  isWriting: boolean;
}

/**
 * Creates the growing objects, one for each prefix. Bytes that arrive during a sync share the next write and sync, so
 * each object has one writer at a time. After any failure the object is left unchanged: a second sync could succeed
 * without having written what the first one lost (docs/contract/reliability.md A1).
 */
export function createGrowingObjects(storage: {
  /** Stores a new object durably. */
  create(key: string, bytes: Buffer, limit: TimeLimit): Promise<void>;
  /** Makes bytes durable at the end of an object; rejects with a system error of absence where it is gone. */
  grow(object: GrowingObject, bytes: Buffer, limit: TimeLimit): Promise<void>;
  /** Runs a write under the time limit of writes. */
  within<Result>(work: (limit: TimeLimit) => Promise<Result>): Promise<Result>;
}): GrowingObjects {
  const lines = new Map<string, Line>();

  function lineOf(prefix: string): Line {
    const known = lines.get(prefix);
    const line: Line = known ?? { waiting: [], object: null, isWriting: false };
    // The last used entry moves to the end.
    lines.delete(prefix);
    lines.set(prefix, line);
    for (const [oldest, { isWriting }] of lines) {
      if (lines.size <= REMEMBERED_MAX) break;
      if (!isWriting) lines.delete(oldest);
    }
    return line;
  }

  async function writeUntilNobodyWaits(prefix: string, line: Line): Promise<void> {
    line.isWriting = true;
    while (line.waiting.length > 0) {
      const covered = line.waiting;
      line.waiting = [];
      const bytes = Buffer.concat(covered.map((each) => each.bytes));
      const object = line.object;
      line.object = null;
      try {
        const { key, endBytes } = await storage.within((limit) => write(prefix, object, bytes, limit));
        if (endBytes < GROWN_BYTES_MAX) line.object = { key, endBytes };
        let offset = endBytes - bytes.length;
        for (const each of covered) {
          each.resolve({ key, offset });
          offset += each.bytes.length;
        }
      } catch (error) {
        for (const each of covered) each.reject(error);
        // They have waited as long for a store that does not answer.
        if (isTimeout(error)) for (const each of line.waiting.splice(0)) each.reject(error);
      }
    }
    line.isWriting = false;
  }

  /** Writes to the object, or to a new one if it no longer exists; returns its new state. */
  async function write(
    prefix: string,
    object: GrowingObject | null,
    bytes: Buffer,
    limit: TimeLimit,
  ): Promise<GrowingObject> {
    if (object !== null) {
      try {
        await storage.grow(object, bytes, limit);
        return { key: object.key, endBytes: object.endBytes + bytes.length };
      } catch (error) {
        if (!isAbsence(error)) throw error;
      }
    }
    const key = prefix + randomUUID();
    await storage.create(key, bytes, limit);
    return { key, endBytes: bytes.length };
  }

  return {
    append(prefix, bytes) {
      assertObjectKey(prefix + randomUUID());
      if (bytes.length > OBJECT_BYTES_MAX) throw new RangeError(`${bytes.length} bytes to append`);
      return new Promise((resolve, reject) => {
        const line = lineOf(prefix);
        line.waiting.push({ bytes, resolve, reject });
        if (!line.isWriting) void writeUntilNobodyWaits(prefix, line);
      });
    },
  };
}

function isTimeout(error: unknown): boolean {
  return error instanceof ObjectStoreUnavailableError && error.reason === 'timeout';
}
