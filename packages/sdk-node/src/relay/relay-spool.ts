import { promises } from 'node:fs';
import { basename, join } from 'node:path';
import type { FileBounds } from '../local/bounds.ts';
import { EVENT_FILE_ENDING, parseFileName } from '../local/event-file.ts';
import { type Claim, openSpool, type SpoolOptions, waitingFiles } from '../local/spool.ts';

const HOUR_MS = 60 * 60_000;
const DELIVERED_ENDING = '.delivered';
const DELIVERED_AGE_MAX_MS = 24 * HOUR_MS;

/**
 * The bounds of all events that are not delivered yet (docs/contract/clients.md 12.4, docs/contract/ingestion.md 8.11).
 */
const RELAY_SPOOL_BOUNDS: FileBounds = {
  maxBytes: 64 * 1024 * 1024,
  maxFiles: 10_000,
  maxAgeMs: 7 * 24 * HOUR_MS,
};

/** Calls of browsers on disk: kept for a day after they were delivered, for a week otherwise. */
export interface RelaySpool {
  /** Returns the name of the file. */
  write(json: string): Promise<string>;
  /** Null when another process has it, or when it was removed. */
  claim(name: string): Promise<Claim | null>;
  /** Leaves the file, and beside it the mark that it was delivered. */
  markDelivered(claim: Claim): Promise<void>;
  /** Returns the names of the files that are neither delivered nor claimed, oldest first. */
  undelivered(): Promise<string[]>;
  clean(): Promise<void>;
}

/** The spool of an owner, which the processes of an application share. */
export function openRelaySpool(options: Omit<SpoolOptions, 'bounds'>): RelaySpool {
  const { now } = options;
  const spool = openSpool({ ...options, bounds: RELAY_SPOOL_BOUNDS });
  return {
    write: async (json) => basename(await spool.write(json)),
    claim: (name) => spool.claim(name),
    async markDelivered(claim) {
      const path = await claim.release();
      // Without the mark it is sent again, which the ids of its events make harmless.
      if (path !== null)
        await promises.writeFile(`${path}${DELIVERED_ENDING}`, '', { mode: 0o600 }).catch(() => undefined);
    },
    async undelivered() {
      const marked = await deliveredFiles(spool.directory());
      return (await waitingFiles(spool.directory())).filter((name) => !marked.has(name));
    },
    async clean() {
      await removeDelivered(spool.directory(), now());
      await spool.clean();
    },
  };
}

/** Names of the files beside which there is a mark. */
async function deliveredFiles(directory: string): Promise<Set<string>> {
  const names = await promises.readdir(directory).catch((): string[] => []);
  const marks = names.filter((name) => name.endsWith(`${EVENT_FILE_ENDING}${DELIVERED_ENDING}`));
  return new Set(marks.map((name) => name.slice(0, -DELIVERED_ENDING.length)));
}

/** Those of yesterday, and of the others the oldest while the directory is too full: they are safe elsewhere. */
async function removeDelivered(directory: string, nowMs: number): Promise<void> {
  const marked = [...(await deliveredFiles(directory))].sort();
  let bytes = 0;
  const sizes = new Map<string, number>();
  const names = await promises.readdir(directory).catch((): string[] => []);
  for (const name of names) {
    const size = (await promises.lstat(join(directory, name)).catch(() => null))?.size ?? 0;
    sizes.set(name, size);
    bytes += size;
  }
  for (const name of marked) {
    const age = nowMs - (parseFileName(name)?.ms ?? 0);
    const isTooFull = bytes > RELAY_SPOOL_BOUNDS.maxBytes || names.length > RELAY_SPOOL_BOUNDS.maxFiles;
    if (age <= DELIVERED_AGE_MAX_MS && sizes.has(name) && !isTooFull) continue;
    bytes -= sizes.get(name) ?? 0;
    for (const path of [name, `${name}${DELIVERED_ENDING}`]) {
      await promises.unlink(join(directory, path)).catch(() => undefined);
    }
  }
}
