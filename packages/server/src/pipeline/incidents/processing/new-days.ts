import type { IncidentState } from '@culprit/evidence/incidents/incident-state';
import type { ReadEvent } from './read-batches.ts';

const DAY_MS = 86_400_000;

/**
 * Moments of different days when an incident that had occurred on one day occurs on another one, the days before
 * included; empty when it occurred on its last day again, as nearly always.
 */
export function newDays(
  { firstSeenAtMs, lastSeenAtMs }: IncidentState,
  signals: readonly ReadEvent[],
): number[] {
  const lastDay = Math.floor(lastSeenAtMs / DAY_MS);
  let moments: Map<number, number> | null = null;
  for (const { event } of signals) {
    const day = Math.floor(event.effectiveAtMs / DAY_MS);
    if (day === lastDay) continue;
    moments ??= new Map([
      [Math.floor(firstSeenAtMs / DAY_MS), firstSeenAtMs],
      [lastDay, lastSeenAtMs],
    ]);
    moments.set(day, event.effectiveAtMs);
  }
  return moments === null ? [] : [...moments.values()];
}
