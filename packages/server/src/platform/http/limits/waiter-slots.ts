/** Bounds how many requests wait at the same time: those of one holder of each kind, and all in the process. */
interface WaiterSlots {
  /**
   * Takes a place for a request of these holders, such as a person and an address; null when one of them, or the
   * process, has no more.
   * @returns how the place is given back
   */
  take(holders: Readonly<Record<string, string>>): (() => void) | null;
}

/** @param limits places of one holder by its kind, and `process`: of all together */
export function createWaiterSlots(
  limits: Readonly<Record<string, number>> & { process: number },
): WaiterSlots {
  const taken = new Map<string, number>();
  let all = 0;

  function change(keys: readonly string[], by: 1 | -1): void {
    all += by;
    for (const key of keys) {
      const count = (taken.get(key) ?? 0) + by;
      if (count === 0) taken.delete(key);
      else taken.set(key, count);
    }
  }

  return {
    take(holders) {
      const entries = Object.entries(holders);
      const keys = entries.map(([kind, holder]) => `${kind} ${holder}`);
      const isFull = entries.some(([kind], n) => (taken.get(keys[n] ?? '') ?? 0) >= (limits[kind] ?? 0));
      if (isFull || all >= limits.process) return null;
      change(keys, 1);
      let isGivenBack = false;
      return () => {
        if (!isGivenBack) change(keys, -1);
        isGivenBack = true;
      };
    },
  };
}
