import { OutageError } from '../outage-error.ts';

/**
 * The store of raw events and bundles: files or an S3-compatible store. Only the server creates keys, and it never uses
 * one twice: lower-case words of `[a-z0-9_.-]` separated by `/`.
 */
export interface ObjectStore {
  /**
   * Stores an object so that it survives a crash of process and machine (docs/contract/reliability.md A1.5). After a
   * rejection the object counts as absent, and the same key must not be tried again. Rejects with
   * ObjectStoreUnavailableError.
   */
  put(key: string, bytes: Buffer): Promise<void>;

  /**
   * Appends bytes, as durably, to an object whose key begins with `prefix`, and returns their place. No other process
   * grows that object; a new one starts at 4 MB, after a failure, and if it was removed. Null for a store that cannot
   * append. Rejects with ObjectStoreUnavailableError; the bytes then count as absent.
   */
  append: ((prefix: string, bytes: Buffer) => Promise<ObjectPlace>) | null;

  /**
   * True if an object can be missing for a while after it was stored, as in a store whose copies agree late. Otherwise
   * an object that is missing once is missing permanently.
   */
  readonly mayAnswerLate: boolean;

  /** The whole object. Rejects with ObjectMissingError or ObjectStoreUnavailableError. */
  get(key: string): Promise<Buffer>;

  /** Exactly `length` bytes, at least one, from `offset` on. A range beyond the end is missing: ObjectMissingError. */
  getRange(key: string, offset: number, length: number): Promise<Buffer>;

  /** Removes the object. One that is not there is no error. */
  delete(key: string): Promise<void>;

  /**
   * Removes up to `limit` objects whose keys begin with `folder/` and then with `nameBegins`, and returns how many;
   * fewer than `limit` means that none is left. Omit `nameBegins` only for folders to which no object is added later.
   */
  deleteFolder(folder: string, limit: number, nameBegins?: string): Promise<number>;

  exists(key: string): Promise<boolean>;

  /**
   * Lists the keys that begin with `folder/`, each once and in no particular order. It reads further pages on demand,
   * so of the objects that are added or removed during the listing some are included and some are not. Rejects with
   * ObjectStoreUnavailableError.
   */
  list(folder: string): AsyncIterable<string>;

  /**
   * Resolves when the store can be reached and written, else rejects with ObjectStoreUnavailableError. A yes may be
   * some seconds old where asking costs money.
   */
  check(): Promise<void>;

  /** Space on the volume the objects are on; null where the store has no volume of ours. */
  freeSpace(): Promise<FreeSpace | null>;
}

/** The place of bytes that share an object with others. */
export interface ObjectPlace {
  key: string;
  offset: number;
}

/** Space for ordinary users on a volume. File entries are null where the file system has no fixed number. */
export interface FreeSpace {
  freeBytes: number;
  totalBytes: number;
  freeFiles: number | null;
  totalFiles: number | null;
}

/** The object, or the asked range of it, is not there. Asking again helps only where the store `mayAnswerLate`. */
export class ObjectMissingError extends Error {
  override name = 'ObjectMissingError';
  readonly key: string;

  constructor(key: string, options?: ErrorOptions) {
    super(`object ${key} is missing`, options);
    this.key = key;
  }
}

/** The store did not do what was asked, for a reason that has nothing to do with the object: try later. */
export class ObjectStoreUnavailableError extends OutageError {
  override name = 'ObjectStoreUnavailableError';
  /** `timeout`, the code of the system error such as `ENOSPC`, or the name that an S3 store gives its refusal. */
  readonly reason: string;

  constructor(doing: string, reason: string, options?: ErrorOptions) {
    super(`object store: ${doing}: ${reason}`, options);
    this.reason = reason;
  }
}

/** The whole object; null when it is not there. Rejects with ObjectStoreUnavailableError. */
export async function getIfThere(store: ObjectStore, key: string): Promise<Buffer | null> {
  try {
    return await store.get(key);
  } catch (error) {
    if (error instanceof ObjectMissingError) return null;
    throw error;
  }
}

/** The write time limit of docs/contract/reliability.md A6. */
export const OBJECT_WRITE_TIMEOUT_MS = 3000;
/** Reads, deletions and look-ups. */
export const OBJECT_READ_TIMEOUT_MS = 10_000;

/** Largest object the stores take or return; everything we make is far smaller. */
export const OBJECT_BYTES_MAX = 67_108_864;

const KEY_CHARACTERS_MAX = 512;
/** Words that begin with a letter, digit or underscore: neither `.` nor `..`, nor anything hidden. */
const KEY = /^[a-z0-9_][a-z0-9_.-]*(?:\/[a-z0-9_][a-z0-9_.-]*)*$/;

/** The folder for the stores' own files; no key begins with it. */
export const RESERVED_FOLDER = 'tmp';

/** Throws TypeError for a key that the server should never have made. */
export function assertObjectKey(key: string): void {
  if (key === RESERVED_FOLDER || key.startsWith(`${RESERVED_FOLDER}/`)) {
    throw new TypeError(`reserved object key: ${key}`);
  }
  if (key.length > KEY_CHARACTERS_MAX || !KEY.test(key) || key.includes('..')) {
    throw new TypeError(`not an object key: ${JSON.stringify(key.slice(0, KEY_CHARACTERS_MAX))}`);
  }
}

/** Throws RangeError for bytes that no object can have. */
export function assertObjectRange(offset: number, length: number): void {
  if (!Number.isSafeInteger(offset) || offset < 0 || !Number.isSafeInteger(length) || length < 1) {
    throw new RangeError(`range ${offset} + ${length}`);
  }
}
