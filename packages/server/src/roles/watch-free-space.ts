import type { Logger } from 'pino';
import type { FreeSpace, ObjectStore } from '../platform/objects/object-store.ts';

const CHECK_INTERVAL_MS = 1000;
const MEBIBYTE = 1024 * 1024;
const FREE_SHARE_MIN = 0.05;
const FREE_BYTES_FLOOR = 512 * MEBIBYTE;
const FREE_BYTES_CEILING = 4096 * MEBIBYTE;

/** Judges a volume by the rule below; `minBytes` is the operator's number. */
export function hasEnoughSpace(space: FreeSpace, minBytes: number | null): boolean {
  const byShare = Math.min(Math.max(space.totalBytes * FREE_SHARE_MIN, FREE_BYTES_FLOOR), FREE_BYTES_CEILING);
  const hasEntries = space.totalFiles === null || (space.freeFiles ?? 0) >= space.totalFiles * FREE_SHARE_MIN;
  return space.freeBytes >= (minBytes ?? byShare) && hasEntries;
}

/**
 * Watches the object volume: below 5 % free (between 512 MB and 4 GB, or the operator's number), or 5 % of the file
 * entries, nothing is accepted (reliability rule A6). A store without a volume of ours always has room.
 */
export async function watchFreeSpace(
  objects: Pick<ObjectStore, 'freeSpace'>,
  minBytes: number | null,
  log: Logger,
): Promise<{ isEnough: () => boolean; stop(): void }> {
  let isEnough = true;

  function judge(space: FreeSpace): void {
    const enough = hasEnoughSpace(space, minBytes);
    if (enough !== isEnough) {
      log[enough ? 'info' : 'error'](
        { freeBytes: space.freeBytes },
        enough ? 'volume has room again' : 'volume is full',
      );
    }
    isEnough = enough;
  }

  async function look(): Promise<void> {
    const space = await objects.freeSpace();
    if (space !== null) judge(space);
  }

  const first = await objects.freeSpace();
  if (first === null) return { isEnough: () => true, stop() {} };
  judge(first);
  let isLooking = false;
  const timer = setInterval(async () => {
    // A disk that hangs would otherwise collect looks until no thread is left for anything else.
    if (isLooking) return;
    isLooking = true;
    await look().catch((error: Error) => log.warn({ error: error.message }, 'free space not known'));
    isLooking = false;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return { isEnough: () => isEnough, stop: () => clearInterval(timer) };
}
