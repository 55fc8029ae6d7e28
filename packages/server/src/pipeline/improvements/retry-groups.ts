import { GROUP_ATTEMPTS, GROUP_SPAN_MS } from './detectors.ts';

/** Attempts of one correlation id that are remembered. */
const ATTEMPTS_KEPT = 16;

/** Attempts with new ones added, the newest kept, and the most of them that lie within the time of a group. */
export function addAttempts(
  known: { atMs: readonly number[]; largest: number },
  added: readonly number[],
): { atMs: number[]; largest: number } {
  const atMs = [...known.atMs, ...added].sort((a, b) => a - b).slice(-ATTEMPTS_KEPT);
  let largest = known.largest;
  let first = 0;
  for (let last = 0; last < atMs.length; last += 1) {
    while ((atMs[last] ?? 0) - (atMs[first] ?? 0) > GROUP_SPAN_MS) first += 1;
    largest = Math.max(largest, last - first + 1);
  }
  return { atMs, largest };
}

/** At which sensitivities a group came about when the most attempts rose from one number to another: 1 or 0 each. */
export function newGroups(before: number, after: number): Record<keyof typeof GROUP_ATTEMPTS, number> {
  const isNew = (attempts: number) => (before < attempts && after >= attempts ? 1 : 0);
  return {
    high_confidence: isNew(GROUP_ATTEMPTS.high_confidence),
    balanced: isNew(GROUP_ATTEMPTS.balanced),
    verbose: isNew(GROUP_ATTEMPTS.verbose),
  };
}
