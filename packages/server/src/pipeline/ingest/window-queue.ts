/** Gathers requests into windows: those that arrive while others are being committed form the next one. */
interface WindowQueue<Member> {
  add(member: Member): void;
  /** Waits for the windows under way and those that are still to come. */
  drain(): Promise<void>;
}

/**
 * The time for which a window is the only one. Two parallel ordinary windows are each half as full, and pay twice for
 * the same number of requests: their objects, commits and wake-ups cost the processor as much as the events do.
 */
const WINDOW_ALONE_MS = 20;
/**
 * The time for which a window waits for the senders of the previous one, who are just reading their answers. Without it
 * the first of them is alone in a window, all others wait for that one, and half of all windows are wasted.
 */
const GATHER_MS = 2;
const REQUESTS_PER_WINDOW_MAX = 256;

/** @param windowsMax under way in parallel, so that a slow object delays only its own */
export function createWindowQueue<Member>(
  windowsMax: number,
  runWindow: (members: Member[]) => Promise<void>,
): WindowQueue<Member> {
  let waiting: Member[] = [];
  let windowsUnderWay = 0;
  let openedAtMs = 0;
  /**
   * The number of requests that the next window should find: as many as the last one had, or as waited when it ended.
   */
  let expectedRequests = 0;
  let endedAtMs = 0;
  /**
   * Opens the next window when its wait has ended; each check sets it again, because the reason to wait may have
   * changed.
   */
  let timer: NodeJS.Timeout | undefined;
  let idle: (() => void)[] = [];

  function open(): void {
    while (waiting.length > 0 && windowsUnderWay < windowsMax) {
      const waitMs = waitBeforeWindowMs();
      if (waitMs > 0) {
        clearTimeout(timer);
        timer = setTimeout(open, waitMs);
        return;
      }
      const members = waiting.slice(0, REQUESTS_PER_WINDOW_MAX);
      waiting = waiting.slice(REQUESTS_PER_WINDOW_MAX);
      windowsUnderWay += 1;
      openedAtMs = performance.now();
      void runWindow(members).finally(() => {
        windowsUnderWay -= 1;
        endedAtMs = performance.now();
        expectedRequests = Math.max(members.length, Math.min(waiting.length, REQUESTS_PER_WINDOW_MAX));
        if (waiting.length > 0) open();
        else if (windowsUnderWay === 0) {
          for (const resolve of idle) resolve();
          idle = [];
        }
      });
    }
  }

  function waitBeforeWindowMs(): number {
    const nowMs = performance.now();
    if (windowsUnderWay > 0) return openedAtMs + WINDOW_ALONE_MS - nowMs;
    return waiting.length < expectedRequests ? endedAtMs + GATHER_MS - nowMs : 0;
  }

  return {
    add(member) {
      waiting.push(member);
      open();
    },
    async drain() {
      if (windowsUnderWay > 0 || waiting.length > 0) await new Promise<void>((resolve) => idle.push(resolve));
    },
  };
}
