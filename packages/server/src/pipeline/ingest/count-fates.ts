import { NO_RULE } from '../../capture/no-rule.ts';
import { countAccepted, countFate } from '../incidents/processing/event-metrics.ts';
import type { DecidedRequest } from './batch-parts.ts';
import type { FateCount } from './ingest.queries.ts';

/** The fates of a window's events as counters, by token, hour, fate and rule. */
export function countFates(members: readonly DecidedRequest[]): FateCount[] {
  const counts = new Map<string, FateCount>();
  for (const { admission, decisions } of members) {
    const hour = new Date(Math.floor(admission.receivedAtMs / 3_600_000) * 3_600_000).toISOString();
    const count = (fate: FateCount['fate'], rule_id: string, events: number): void => {
      const key = `${admission.tokenId} ${fate} ${rule_id}`;
      const known = counts.get(key);
      if (known !== undefined) known.events += events;
      else {
        counts.set(key, {
          token_id: admission.tokenId,
          project_id: admission.projectId,
          hour,
          fate,
          rule_id,
          events,
        });
      }
    };
    for (const [fate, events] of decisions.fates) count(fate, NO_RULE, events);
    for (const { fate, ruleId, events } of decisions.ruleFates) count(fate, ruleId, events);
  }
  return [...counts.values()];
}

/** Tells the metrics what was committed just now; projects that were deleted meanwhile have no part in it. */
export function measureWindow(
  fates: readonly FateCount[],
  members: readonly DecidedRequest[],
  live: ReadonlySet<string>,
): void {
  for (const { project_id, fate, events } of fates) if (live.has(project_id)) countFate(fate, events);
  for (const { admission, decisions } of members) {
    if (live.has(admission.projectId)) countAccepted(decisions.records.length);
  }
}
