import type { Logger } from 'pino';
import { errorFields } from '../platform/error-fields.ts';
import { guardBytes, hasEnoughSpace } from '../platform/objects/free-space.ts';
import type { FreeSpace, ObjectStore } from '../platform/objects/object-store.ts';

const CHECK_INTERVAL_MS = 1000;
/** While there are no requests; other programs can fill the volume too. */
const CHECKS_SKIPPED_AT_REST = 9;

/**
 * Watches the object volume: below 5 % free (between 512 MB and 4 GB, or the operator's number), or 5 % of the file
 * entries, nothing is accepted (docs/contract/reliability.md A6). A store without a volume of ours always has space.
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
        { freeBytes: space.freeBytes, neededBytes: guardBytes(space, minBytes), freeFiles: space.freeFiles },
        enough
          ? 'the volume of the data directory has enough free space again, so events are accepted'
          : 'the volume of the data directory has too little free space, so events are answered 503',
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
  let isProbing = false;
  let isAsked = true;
  let skipped = 0;
  const timer = setInterval(async () => {
    // A disk that hangs would otherwise collect probes until no thread is left for anything else.
    if (isProbing) return;
    if (!isAsked && skipped < CHECKS_SKIPPED_AT_REST) {
      skipped += 1;
      return;
    }
    isAsked = false;
    skipped = 0;
    isProbing = true;
    await look().catch((error: Error) => log.warn(errorFields(error), 'free space could not be determined'));
    isProbing = false;
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return {
    isEnough() {
      isAsked = true;
      return isEnough;
    },
    stop: () => clearInterval(timer),
  };
}
