import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work may take this long before others get their turn of the event loop. */
const TURN_MS = 10;

/** Lets others have their turn when a piece of work has taken long. */
export interface LoopYield {
  /** Null while there is time left. */
  next(): Promise<void> | null;
}

export function createLoopYield(): LoopYield {
  let startedAtMs = performance.now();
  return {
    next() {
      if (performance.now() - startedAtMs < TURN_MS) return null;
      return nextTurn().then(() => {
        startedAtMs = performance.now();
      });
    },
  };
}
