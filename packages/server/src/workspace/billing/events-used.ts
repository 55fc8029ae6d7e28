import type { PlanSettings } from './plan.ts';
import { type PlanRecord, planInForce } from './plan-in-force.ts';

/**
 * Returns the `used` of the meter of events at a moment: the count of its window, and the excess of earlier windows
 * over their limits (docs/contract/account.md 6.4). It is computed on each request, so that counting stays one blind
 * update: a late count in a window that just ended is never lost.
 * @param countedByWindow events counted in each window, by its start in milliseconds
 */
export function eventsUsed(
  record: PlanRecord,
  settings: PlanSettings,
  countedByWindow: ReadonlyMap<number, number>,
  atMs: number,
): number {
  let excess = 0;
  let terms = planInForce(record, settings, record.usageSettledAtMs);
  while (terms.usageWindow.endMs <= atMs) {
    const { startMs, endMs } = terms.usageWindow;
    const used = excess + (countedByWindow.get(startMs) ?? 0);
    // The limit that held when the window ended is the one that was passed.
    const { limits } = planInForce(record, settings, endMs - 1);
    excess = Math.max(0, used - limits.monthlyRawIngestedEvents);
    terms = planInForce(record, settings, endMs);
  }
  return excess + (countedByWindow.get(terms.usageWindow.startMs) ?? 0);
}
