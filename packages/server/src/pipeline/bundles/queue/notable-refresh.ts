import { type BundleTrigger, NOTABLE_TRIGGERS } from './bundles.jobs.ts';

/** The content of the stored generation, and that of the new one. */
export interface RefreshFacts {
  before: { occurrenceCount: number; blocks: readonly string[]; isReproducible: boolean | null };
  after: { occurrenceCount: number; blocks: readonly string[]; isReproducible: boolean };
  triggers: readonly BundleTrigger[];
}

/**
 * Returns true if a refresh is worth a `bundle.updated` (docs/contract/incidents.md 3.9): several reasons still emit
 * one event. Counts matter only when a signal of an active incident moved them; suppressed duplicates and the backlog
 * of a resolved one emit nothing (1.4, T10 and T11).
 */
export function isNotableRefresh({ before, after, triggers }: RefreshFacts): boolean {
  return (
    triggers.some((trigger) => NOTABLE_TRIGGERS.includes(trigger)) ||
    (triggers.includes('signal') && crossesThreshold(before.occurrenceCount, after.occurrenceCount)) ||
    after.blocks.some((block) => !before.blocks.includes(block)) ||
    (before.isReproducible !== null && before.isReproducible !== after.isReproducible)
  );
}

/** True when one of 2, 3, 10, 30, 100, 300 … lies in (before, after]. */
function crossesThreshold(before: number, after: number): boolean {
  if (before < 2 && after >= 2) return true;
  for (let power = 1; power <= after; power *= 10) {
    for (const threshold of power === 1 ? [3] : [power, 3 * power]) {
      if (before < threshold && threshold <= after) return true;
    }
  }
  return false;
}
