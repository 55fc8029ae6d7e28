import type { Queryable } from '../../platform/db/database.ts';
import type { Threshold } from './alert-threshold.ts';
import { type EnabledRule, placeMismatchOf } from './match-rules.ts';
import { type BusyIncident, type Crossing, countWindows } from './thresholds.queries.ts';

/** A rule with a threshold. */
type ThresholdRule = EnabledRule & { threshold: Threshold };

/** The count of an incident for a rule. */
export interface Measured {
  rule: ThresholdRule;
  incident: BusyIncident;
  /** Events within the window, or users. */
  amount: number;
}

/** The enabled ones of some rules that have a threshold. */
export function thresholdRules(rules: readonly EnabledRule[]): ThresholdRule[] {
  return rules.flatMap(({ threshold, ...rule }) =>
    rule.isEnabled && threshold !== null ? [{ ...rule, threshold }] : [],
  );
}

/** Counts, for each rule, the incidents that suit it. */
export async function measure(
  database: Queryable,
  rules: readonly ThresholdRule[],
  incidents: readonly BusyIncident[],
  nowMs: number,
): Promise<Measured[]> {
  const pairs = rules.flatMap((rule) =>
    incidents.flatMap((incident) => (placeMismatchOf(rule, incident) === null ? [{ rule, incident }] : [])),
  );
  // Rules with the same window share a count.
  const windows = new Map(
    pairs.flatMap(({ rule: { threshold }, incident: { incidentId } }) =>
      'users' in threshold
        ? []
        : [
            [
              windowKey(incidentId, threshold),
              { incidentId, windowMinutes: threshold.windowMinutes },
            ] as const,
          ],
    ),
  );
  const counts = await countWindows(database, [...windows.values()], nowMs);
  const counted = new Map([...windows.keys()].map((key, index) => [key, counts[index] ?? 0]));
  return pairs.map(({ rule, incident }) => ({
    rule,
    incident,
    amount:
      'users' in rule.threshold
        ? incident.affectedUsers
        : (counted.get(windowKey(incident.incidentId, rule.threshold)) ?? 0),
  }));
}

function windowKey(incidentId: string, { windowMinutes }: { windowMinutes: number }): string {
  return `${incidentId} ${windowMinutes}`;
}

/** The number that a rule waits for. */
export function wantedOf(threshold: Threshold): number {
  return 'users' in threshold ? threshold.users : threshold.occurrences;
}

/**
 * Returns the result of one check of an incident and a rule: `reached` is a new crossing, `held` one that continues,
 * `over` one that ended. Events: again after the count fell below half, or after a whole window without a check that
 * found as many. Users, whose number never falls: again after the status of the incident changed.
 * @param before the crossing that is stored
 */
export function judgeCrossing(
  { rule: { threshold }, incident, amount }: Measured,
  before: Crossing | undefined,
  nowMs: number,
): 'below' | 'reached' | 'held' | 'over' {
  const wanted = wantedOf(threshold);
  const windowMinutes = 'users' in threshold ? null : threshold.windowMinutes;
  const isCurrent =
    before !== undefined &&
    before.threshold === wanted &&
    before.windowMinutes === windowMinutes &&
    before.reachedAtMs >= incident.statusChangedAtMs &&
    (windowMinutes === null || before.heldAtMs >= nowMs - (windowMinutes + 1) * 60_000);
  if (amount >= wanted) return isCurrent ? 'held' : 'reached';
  if (before === undefined) return 'below';
  return isCurrent && amount * 2 >= wanted ? 'held' : 'over';
}
