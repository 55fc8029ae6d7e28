import { promises } from 'node:fs';
import { join } from 'node:path';
import { loadCrypto } from '../load-builtin.ts';
import { enforceBounds, type FileBounds } from './bounds.ts';
import { EVENT_FILE_ENDING } from './event-file.ts';

const OWNER = /^[\da-f]{16}$/;
/** Written once the files were reported. */
const REPORTED = '.reported';
/** Younger files may belong to a process that runs. */
const LEFT_AGE_MS = 10 * 60_000;

/** Files of another token or endpoint that wait in a directory beside. */
export interface LeftFiles {
  path: string;
  files: number;
  hours: number;
}

/** The name of the folder that only senders with this endpoint and token use. */
export function ownerOf(endpoint: string | null, token: string | null): string {
  return loadCrypto().createHash('sha256').update(`${endpoint}\n${token}`).digest('hex').slice(0, 16);
}

/**
 * Applies the bounds to the folders of other tokens and endpoints, whose own senders may never run again, and reports
 * each that still has old files, once.
 */
export async function cleanOthers(
  parent: string,
  own: string,
  bounds: FileBounds,
  nowMs: number,
  report: (left: LeftFiles) => void,
): Promise<void> {
  const names = await promises.readdir(parent).catch((): string[] => []);
  for (const name of names.filter((each) => OWNER.test(each) && each !== own)) {
    const path = join(parent, name);
    const found = await promises.lstat(path).catch(() => null);
    if (!found?.isDirectory()) continue;
    await enforceBounds(path, bounds, nowMs);
    const left = await promises.readdir(path).catch((): string[] => []);
    const files = left.filter(
      (each) => each.includes(EVENT_FILE_ENDING) && !each.endsWith('.delivered'),
    ).length;
    if (files === 0 || nowMs - found.mtimeMs < LEFT_AGE_MS) continue;
    try {
      await promises.writeFile(join(path, REPORTED), '', { flag: 'wx', mode: 0o600 });
      report({ path, files, hours: bounds.maxAgeMs / 3_600_000 });
    } catch {
      // It was reported, or this process may not write there.
    }
  }
}
