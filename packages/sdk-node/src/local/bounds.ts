import { promises } from 'node:fs';
import { join } from 'node:path';
import { EVENT_FILE_ENDING, parseFileName, TEMPORARY_PREFIX } from './event-file.ts';

/** The bounds of a directory of events. */
export interface FileBounds {
  maxBytes: number;
  maxFiles: number;
  maxAgeMs: number;
}

/** The bounds of the local mode (docs/contract/clients.md 11.3). */
export const LOCAL_BOUNDS: FileBounds = {
  maxBytes: 64 * 1024 * 1024,
  maxFiles: 2_000,
  maxAgeMs: 7 * 24 * 60 * 60_000,
};

/** A writer that was killed left it behind. */
const TEMPORARY_AGE_MAX_MS = 10 * 60_000;

interface FoundFile {
  path: string;
  ms: number;
  sequence: number;
  bytes: number;
}

/** Removes files of events, oldest first, until the directory is within its bounds, and what killed writers left. */
export async function enforceBounds(directory: string, bounds: FileBounds, nowMs: number): Promise<void> {
  let names: string[];
  try {
    names = await promises.readdir(directory);
  } catch {
    // Not there yet, or unreadable: the next write says so.
    return;
  }
  await removeTemporary(directory, names, nowMs);
  const files = await findFiles(directory, names);
  files.sort((a, b) => b.ms - a.ms || b.sequence - a.sequence);
  let [bytes, count] = [0, 0];
  for (const file of files) {
    bytes += file.bytes;
    count += 1;
    const isKept = bytes <= bounds.maxBytes && count <= bounds.maxFiles && nowMs - file.ms <= bounds.maxAgeMs;
    if (!isKept) await remove(file.path);
  }
}

/** Files of events, those claimed for sending among them. */
async function findFiles(directory: string, names: readonly string[]): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  for (const name of names) {
    const parsed = parseFileName(name);
    if (parsed === null || !name.includes(EVENT_FILE_ENDING)) continue;
    const path = join(directory, name);
    const found = await promises.lstat(path).catch(() => null);
    if (found?.isFile()) files.push({ path, ...parsed, bytes: found.size });
  }
  return files;
}

async function removeTemporary(directory: string, names: readonly string[], nowMs: number): Promise<void> {
  for (const name of names.filter((each) => each.startsWith(TEMPORARY_PREFIX))) {
    const path = join(directory, name);
    const found = await promises.lstat(path).catch(() => null);
    if (found !== null && nowMs - found.mtimeMs > TEMPORARY_AGE_MAX_MS) await remove(path);
  }
}

async function remove(path: string): Promise<void> {
  // Another process may have been faster.
  await promises.unlink(path).catch(() => undefined);
}
