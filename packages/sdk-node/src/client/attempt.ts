/** What `work` returns; undefined when it throws, because the host's own work is what matters. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
