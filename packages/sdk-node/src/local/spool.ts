import { promises } from 'node:fs';
import { basename, join } from 'node:path';
import { enforceBounds, type FileBounds } from './bounds.ts';
import {
  EVENT_FILE_ENDING,
  parseFileName,
  renameToFreeName,
  writeEventFile,
  writeEventFileSync,
} from './event-file.ts';
import { ensureDirectory } from './own-directory.ts';
import { cleanOthers, type LeftFiles } from './owned-directory.ts';

/** The bounds of the spool for crashes and failed ingestion (docs/contract/clients.md 8.5). */
export const SPOOL_BOUNDS: FileBounds = {
  maxBytes: 20 * 1024 * 1024,
  maxFiles: 2_000,
  maxAgeMs: 72 * 60 * 60_000,
};

const CLAIM_ENDING = '.sending';
/** The process that claimed it was killed, or hangs: ids make a repetition harmless. */
const CLAIM_AGE_MAX_MS = 10 * 60_000;
/** No file that the library writes comes near. */
const READ_BYTES_MAX = 8 * 1024 * 1024;

export interface SpoolOptions {
  /** Holds a folder for each owner. */
  parent: string;
  /**
   * The owner of endpoint and token (`ownerOf`): no other sender sends its files. Called when the spool is first used.
   */
  owner: () => string;
  onLeft: (left: LeftFiles) => void;
  service: string;
  now: () => number;
  bounds?: FileBounds;
}

/** A file of events that this process alone may send. */
export interface Claim {
  /** Its name without the mark of the claim. */
  name: string;
  /** A JSON array. */
  json: string;
  /** Removes it: it was delivered, or never will be. */
  remove(): Promise<void>;
  /** Gives it free again for a later attempt, of any process. Returns its path. */
  release(): Promise<string | null>;
}

/** Events on disk that wait for being sent. */
export interface Spool {
  directory(): string;
  /** Writes a JSON array of events before it returns, for a process that ends. Throws what the system says. */
  writeSync(json: string): string;
  write(json: string): Promise<string>;
  /** Claims the oldest unclaimed file, or the named one; null when there is none. */
  claim(name?: string): Promise<Claim | null>;
  /** Returns old claims, removes what the bounds no longer allow, and reports what others left. */
  clean(): Promise<void>;
}

/** The spool of an owner, which several processes may share. Nothing is created before something is written. */
export function openSpool(options: SpoolOptions): Spool {
  const { parent, owner, service, now, bounds = SPOOL_BOUNDS, onLeft } = options;
  let own: string | null = null;
  const directory = () => (own ??= join(parent, owner()));
  const file = (json: string) => ({ directory: directory(), service, nowMs: now(), json, isSynced: true });
  return {
    directory,
    writeSync: (json) => writeEventFileSync(file(json)),
    write: (json) => writeEventFile(file(json)),
    async claim(name) {
      const names = name === undefined ? await waitingFiles(directory()) : [name];
      for (const each of names) {
        const claimed = await claimFile(directory(), each, now());
        if (claimed !== null) return claimed;
      }
      return null;
    },
    async clean() {
      await returnOldClaims(directory(), now());
      await enforceBounds(directory(), bounds, now());
      await cleanOthers(parent, basename(directory()), bounds, now(), onLeft);
    },
  };
}

/** Names of files of events in a directory, oldest first. */
export async function waitingFiles(directory: string): Promise<string[]> {
  const names = await promises.readdir(directory).catch((): string[] => []);
  return names.filter((name) => name.endsWith(EVENT_FILE_ENDING) && parseFileName(name) !== null).sort(byAge);
}

function byAge(a: string, b: string): number {
  const [first, second] = [parseFileName(a), parseFileName(b)];
  if (first === null || second === null) return 0;
  return first.ms - second.ms || first.sequence - second.sequence;
}

async function claimFile(directory: string, name: string, nowMs: number): Promise<Claim | null> {
  const path = join(directory, name);
  const claimed = join(directory, `${name}.${process.pid}${CLAIM_ENDING}`);
  const found = await promises.lstat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > READ_BYTES_MAX) return null;
  try {
    await promises.rename(path, claimed);
    const claimedAt = new Date(nowMs);
    await promises.utimes(claimed, claimedAt, claimedAt);
    const json = await promises.readFile(claimed, 'utf8');
    return {
      name,
      json: json.trimEnd(),
      remove: () => promises.unlink(claimed).catch(() => undefined),
      release: async () => releaseFile(claimed, directory, name),
    };
  } catch {
    // Another process was faster, or the file cannot be read.
    return null;
  }
}

function releaseFile(claimed: string, directory: string, name: string): string | null {
  try {
    return renameToFreeName(claimed, directory, name);
  } catch {
    // It returns when the claim is old.
    return null;
  }
}

async function returnOldClaims(directory: string, nowMs: number): Promise<void> {
  const names = await promises.readdir(directory).catch((): string[] => []);
  for (const claim of names.filter((name) => name.endsWith(CLAIM_ENDING))) {
    const name = claim.slice(0, claim.indexOf(EVENT_FILE_ENDING) + EVENT_FILE_ENDING.length);
    const found = await promises.lstat(join(directory, claim)).catch(() => null);
    if (found === null || nowMs - found.mtimeMs <= CLAIM_AGE_MAX_MS || parseFileName(name) === null) continue;
    ensureDirectory(directory);
    releaseFile(join(directory, claim), directory, name);
  }
}
