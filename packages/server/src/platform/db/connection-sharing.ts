/** A statement of ours mostly ends sooner. */
export const SHARING_WAIT_MS = 20;
/** Where more wait, more connections are what helps. */
const WAITS_PER_SECOND = 20;

/**
 * Lets who finds a connection of a pool in use wait a moment for its release before taking another, so that the few
 * tasks that a service at rest has at the same time share one, and the others are closed. Each is a process of the
 * server with 5 to 8 MB. Under load nobody waits.
 */
export interface ConnectionSharing {
  /**
   * Before a connection is taken. Resolves when one was released, when the moment is over, or at once where none or all
   * are in use or many waited in this second.
   */
  take(): Promise<void>;
  /** After one was released, or could not be had. Who waits longest goes on. */
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
