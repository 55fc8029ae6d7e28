/** Returns the result of `work`; undefined when it throws, because the host's own work has priority. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
