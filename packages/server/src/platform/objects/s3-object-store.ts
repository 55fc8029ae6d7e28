import { createHash } from 'node:crypto';
import {
  assertObjectKey,
  assertObjectRange,
  OBJECT_BYTES_MAX,
  ObjectMissingError,
  type ObjectStore,
  ObjectStoreUnavailableError,
  RESERVED_FOLDER,
} from './object-store.ts';
import type { S3Address } from './s3-address.ts';
import { failureReason, isNotImplemented, openS3Client, type S3Requests } from './s3-requests.ts';
import { withTimeLimit } from './time-limit.ts';

/** The object itself is not there; a bucket that is not there is the operator's mistake and no missing object. */
const MISSING_OBJECT = 'NoSuchKey';
const BEYOND_END = 'InvalidRange';
/** The key exists, or is being written at this moment. */
const KEY_TAKEN = new Set(['PreconditionFailed', 'ConditionalRequestConflict']);
/** Readiness is asked by anybody and often, and each look is a write that costs. */
const CHECK_VALID_MS = 5000;
const CHECK_BYTES = Buffer.from('culprit\n');
/** Keys of one request for a listing. */
const LISTED_AT_ONCE = 1000;
const DELETIONS_AT_ONCE = 16;

/**
 * Creates a store of objects in a bucket. A put is one request with its checksum, which the store refuses when the
 * bytes are damaged on the way or the key is taken; if it is taken by an attempt of ours whose answer was lost, the put
 * has succeeded. The objects are far below the 5 GB limit of one request, so there are no uploads in parts that could
 * remain incomplete.
 *
 * An abandoned put may still succeed: an object that no row names.
 */
export function createS3ObjectStore(options: {
  address: S3Address;
  writeTimeoutMs: number;
  readTimeoutMs: number;
}): ObjectStore {
  const { address, writeTimeoutMs, readTimeoutMs } = options;
  const requestsWithin = openS3Client(address);
  const folder = address.prefix === '' ? '' : `${address.prefix}/`;
  const checkKey = `${folder}${RESERVED_FOLDER}/check`;
  /** Until the store says that it does not know the condition. */
  let knowsConditions = true;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  function locationOf(key: string): string {
    assertObjectKey(key);
    return folder + key;
  }

  async function within<Result>(
    doing: string,
    timeoutMs: number,
    work: (requests: S3Requests) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await withTimeLimit(doing, timeoutMs, (limit) => work(requestsWithin(limit)));
    } catch (error) {
      if (
        error instanceof ObjectMissingError ||
        error instanceof ObjectStoreUnavailableError ||
        error instanceof RangeError
      )
        throw error;
      throw new ObjectStoreUnavailableError(doing, failureReason(error), { cause: error });
    }
  }

  async function write(requests: S3Requests, place: string, bytes: Buffer): Promise<void> {
    const sha256 = createHash('sha256').update(bytes).digest('base64');
    try {
      await requests.put(place, bytes, { isOnlyNew: knowsConditions, sha256 });
    } catch (error) {
      if (knowsConditions && isNotImplemented(error)) {
        knowsConditions = false;
        await requests.put(place, bytes, { isOnlyNew: false, sha256 });
      } else if (!KEY_TAKEN.has(failureReason(error)) || !(await holds(requests, place, bytes))) {
        throw error;
      }
    }
  }

  /** Returns true if an earlier attempt, whose answer was lost, stored these bytes. */
  async function holds(requests: S3Requests, place: string, bytes: Buffer): Promise<boolean> {
    try {
      return bytes.equals(await requests.get(place));
    } catch (error) {
      if (failureReason(error) === MISSING_OBJECT) return false;
      throw error;
    }
  }

  async function read(key: string, range?: { first: number; last: number }): Promise<Buffer> {
    const place = locationOf(key);
    return await within('read', readTimeoutMs, async (requests) => {
      try {
        return await requests.get(place, range);
      } catch (error) {
        const reason = failureReason(error);
        if (reason === MISSING_OBJECT || reason === BEYOND_END)
          throw new ObjectMissingError(key, { cause: error });
        throw error;
      }
    });
  }

  return {
    async put(key, bytes) {
      const place = locationOf(key);
      if (bytes.length > OBJECT_BYTES_MAX) throw new RangeError(`object of ${bytes.length} bytes`);
      await within('write', writeTimeoutMs, (requests) => write(requests, place, bytes));
    },

    // An object there is what one request made it.
    append: null,

    mayAnswerLate: true,

    get: (key) => read(key),

    async getRange(key, offset, length) {
      assertObjectRange(offset, length);
      if (length > OBJECT_BYTES_MAX) throw new RangeError(`${length} bytes of object ${key}`);
      const bytes = await read(key, { first: offset, last: offset + length - 1 });
      if (bytes.length < length) throw new ObjectMissingError(key);
      if (bytes.length > length) throw new ObjectStoreUnavailableError('read', 'answered with another range');
      return bytes;
    },

    async delete(key) {
      const place = locationOf(key);
      await within('delete', readTimeoutMs, (requests) => requests.delete(place));
    },

    async deleteFolder(name, limit, nameBegins = '') {
      const beginning = `${locationOf(name)}/${nameBegins}`;
      return await within('delete folder', readTimeoutMs, async (requests) => {
        let deleted = 0;
        while (deleted < limit) {
          const keys = await requests.list(beginning, limit - deleted);
          if (keys.length === 0) break;
          await deleteAll(requests, keys);
          deleted += keys.length;
        }
        return deleted;
      });
    },

    async exists(key) {
      const place = locationOf(key);
      return await within('look up', readTimeoutMs, async (requests) => {
        // It is the first of the keys with this beginning.
        const [first] = await requests.list(place, 1);
        return first === place;
      });
    },

    async *list(name) {
      const beginning = `${locationOf(name)}/`;
      for (let after: string | undefined; ; ) {
        const places = await within('list', readTimeoutMs, (requests) =>
          requests.list(beginning, LISTED_AT_ONCE, after),
        );
        for (const place of places) yield place.slice(folder.length);
        after = places.at(-1);
        if (after === undefined) return;
      }
    },

    async check() {
      if (performance.now() - checkedAtMs < CHECK_VALID_MS) return;
      const sha256 = createHash('sha256').update(CHECK_BYTES).digest('base64');
      await within('check', writeTimeoutMs, (requests) =>
        requests.put(checkKey, CHECK_BYTES, { isOnlyNew: false, sha256 }),
      );
      checkedAtMs = performance.now();
    },

    async freeSpace() {
      return null;
    },
  };
}

/** Deletes one by one: the request for many requires checksums that not every store supports. */
async function deleteAll(requests: S3Requests, keys: readonly string[]): Promise<void> {
  const waiting = [...keys];
  const deleteWaiting = async () => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) await requests.delete(key);
  };
  await Promise.all(Array.from({ length: DELETIONS_AT_ONCE }, deleteWaiting));
}
