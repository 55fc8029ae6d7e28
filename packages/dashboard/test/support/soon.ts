import { expect } from 'vitest';

/** A loaded machine takes its time; what never comes fails all the same. */
const DEADLINE_MS = 60_000;

/** Expects of a value that it becomes as said: `await soon(() => page.title()).toBe('Alerts')`. */
export function soon<T>(read: () => T) {
  return expect.poll(read, { timeout: DEADLINE_MS });
}
