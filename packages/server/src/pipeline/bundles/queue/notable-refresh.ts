import { type BundleTrigger, NOTABLE_TRIGGERS } from './bundles.jobs.ts';

/** The content of the stored generation, and that of the new one. */
interface RefreshFacts {
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
  return thresholdsUpTo(before) < thresholdsUpTo(after);
}

/** Returns how many of these thresholds a count has reached. */
export function thresholdsUpTo(count: number): number {
  const digits = String(count).length;
  return 2 * (digits - 1) + (count >= 2 ? 1 : 0) + (count >= 3 * 10 ** (digits - 1) ? 1 : 0);
}

/** Returns the expression of `thresholdsUpTo` for the count that an expression of type `bigint` gives. */
export function thresholdsUpToSql(count: string): string {
  const digits = `length((${count})::text)`;
  return `(2 * (${digits} - 1) + (${count} >= 2)::integer + (${count} >= 3 * 10::numeric ^ (${digits} - 1))::integer)`;
}
