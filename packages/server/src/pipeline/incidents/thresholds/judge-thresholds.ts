import { keepFitting } from '../../../notify/alerts/alert-queries.ts';
import { findRules } from '../../../notify/alerts/alert-rules.queries.ts';
import {
  judgeCrossing,
  type Measured,
  measure,
  thresholdRules,
  wantedOf,
} from '../../../notify/alerts/judge-crossings.ts';
import {
  type Crossing,
  claimThresholds,
  findBusyIncidents,
  findCrossings,
  saveCrossings,
} from '../../../notify/alerts/thresholds.queries.ts';
import type { Database } from '../../../platform/db/database.ts';
import { prefixedId } from '../../../platform/ids.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { fitQueries } from '../searching/fit-queries.ts';

/**
 * Checks in one project if incidents with new signals have reached the thresholds of its alert rules
 * (docs/contract/notifications.md 1.22), and writes a ledger entry for each that has. One transaction holds the claim
 * and its effects, so that two workers never report one crossing twice.
 * @returns true if another project may be due
 */
export async function judgeThresholds(database: Database): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const due = await claimThresholds(transaction);
    if (due === null) return false;
    const { projectId, nowMs, sinceMs } = due;
    const rules = thresholdRules(await findRules(transaction, projectId));
    const incidents = await findBusyIncidents(transaction, projectId, sinceMs);
    const measured = await keepFitting(
      await measure(transaction, rules, incidents, nowMs),
      ({ rule, incident: { incidentId } }) => ({ rule, incidentId }),
      { database: transaction, projectId, fitQueries },
    );
    if (measured.length === 0) return true;
    const ids = incidents.map(({ incidentId }) => incidentId);
    const crossings = new Map(
      (await findCrossings(transaction, projectId, ids)).map((crossing) => [keyOf(crossing), crossing]),
    );
    const kept: Crossing[] = [];
    const over: Crossing[] = [];
    const told: LifecycleEvent[] = [];
    for (const each of measured) {
      const { alertId } = each.rule;
      const { incidentId } = each.incident;
      const before = crossings.get(keyOf({ alertId, incidentId }));
      switch (judgeCrossing(each, before, nowMs)) {
        case 'reached':
          kept.push({ ...crossingOf(each), reachedAtMs: nowMs, heldAtMs: nowMs });
          told.push(eventOf(projectId, each));
          break;
        case 'held':
          // Users never become fewer, so nothing reads when their number was last seen.
          if (before !== undefined && before.windowMinutes !== null)
            kept.push({ ...before, heldAtMs: nowMs });
          break;
        case 'over':
          if (before !== undefined) over.push(before);
          break;
        case 'below':
          break;
      }
    }
    saveCrossings(transaction, projectId, kept, over);
    insertLifecycleEvents(transaction, told);
    return true;
  });
}

function keyOf({ alertId, incidentId }: Pick<Crossing, 'alertId' | 'incidentId'>): string {
  return `${alertId} ${incidentId}`;
}

function crossingOf({ rule: { alertId, threshold }, incident }: Measured) {
  return {
    alertId,
    incidentId: incident.incidentId,
    threshold: wantedOf(threshold),
    windowMinutes: 'users' in threshold ? null : threshold.windowMinutes,
  };
}

function eventOf(projectId: string, { rule, incident, amount }: Measured): LifecycleEvent {
  const { alertId, threshold } = rule;
  const reached =
    'users' in threshold
      ? { users: amount }
      : { occurrences: amount, window_minutes: threshold.windowMinutes };
  return {
    projectId,
    incidentId: incident.incidentId,
    kind: 'incident.threshold_reached',
    data: { alert_id: prefixedId('alt', alertId), severity: incident.severity, ...reached },
  };
}
