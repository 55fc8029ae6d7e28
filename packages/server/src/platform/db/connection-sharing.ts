/** A statement of ours mostly ends sooner. */
export const SHARING_WAIT_MS = 20;
/** From this many waits a second on, another connection helps more than waiting. */
const WAITS_PER_SECOND = 20;

/**
 * Delays a caller that finds a connection of a pool in use for a short time before another connection is opened, so
 * that the few parallel tasks of an idle service share one connection and the others are closed. Each connection is a
 * process of the server with 5 to 8 MB. Under load no caller waits.
 */
interface ConnectionSharing {
  /**
   * Called before a connection is taken. Resolves when one was released or the wait has ended; resolves immediately if
   * none or all are in use, or if many callers waited in this second.
   */
  take(): Promise<void>;
  /** Called after a connection was released, or could not be opened. The caller that has waited longest continues. */
  released(): void;
}

export function createConnectionSharing(
  connectionsMax: number,
  waitMs: number,
  nowMs: () => number = () => performance.now(),
): ConnectionSharing {
  const waiting = new Set<() => void>();
  let inUse = 0;
  let second = 0;
  let waits = 0;

  function mayWait(): boolean {
    if (inUse === 0 || inUse >= connectionsMax) return false;
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) {
      second = now;
      waits = 0;
    }
    waits += 1;
    return waits <= WAITS_PER_SECOND;
  }

  async function untilReleased(): Promise<void> {
    await new Promise<void>((resolve) => {
      function goOn(): void {
        clearTimeout(timer);
        waiting.delete(goOn);
        resolve();
      }
      const timer = setTimeout(goOn, waitMs);
      waiting.add(goOn);
    });
  }

  return {
    async take() {
      if (mayWait()) await untilReleased();
      inUse += 1;
    },
    released() {
      inUse -= 1;
      for (const goOn of waiting) return goOn();
    },
  };
}
