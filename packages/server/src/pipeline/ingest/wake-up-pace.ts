/**
 * Decides which windows wake the worker. A wake-up covers everything that was committed before it. It costs a process
 * of the database, the worker's main thread and the thread that it passes it on to, together as much as a small event,
 * and in a stream of small windows nearly all of them would find the worker at work.
 */
export interface WakeUpPace {
  /** For a window that is about to be committed. */
  begin(): WindowWakeUp;
  /** Sends the wake-up that is still to come. */
  flush(): Promise<void>;
}

/** The wake-up of a window. */
interface WindowWakeUp {
  /** True if its commit wakes the worker; if not, a wake-up follows soon. */
  readonly wakes: boolean;
  /** Called when its commit has ended, also if its result is unknown. */
  end(isCommitted: boolean): void;
}

/** Between two windows that wake. */
const INTERVAL_MS = 15;
/** The time after a wake-up at which a separate statement sends one for the windows that have sent none since. */
const FOLLOW_UP_MS = 25;

/** @param wake where it rejects, the watch for due work finds what is there, as after the death of this process */
export function createWakeUpPace(wake: () => Promise<void>): WakeUpPace {
  let wokenAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  /** Windows so far that did not wake. */
  let silentWindows = 0;

  function forgetFollowUp(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  async function followUp(): Promise<void> {
    forgetFollowUp();
    wokenAtMs = performance.now();
    await wake().catch(() => {});
  }

  return {
    begin() {
      const wakes = performance.now() - wokenAtMs >= INTERVAL_MS;
      const toldOf = silentWindows;
      if (wakes) wokenAtMs = performance.now();
      return {
        wakes,
        end(isCommitted) {
          if (!wakes) {
            silentWindows += 1;
            timer ??= setTimeout(
              () => void followUp(),
              Math.max(0, wokenAtMs + FOLLOW_UP_MS - performance.now()),
            );
          } else if (isCommitted && toldOf === silentWindows) {
            // This window's wake-up also covers the windows that ended before it started.
            forgetFollowUp();
          }
        },
      };
    },
    async flush() {
      if (timer !== undefined) await followUp();
    },
  };
}
