import { NO_RULE } from '../../capture/no-rule.ts';
import { countAccepted, countFate } from '../incidents/processing/event-metrics.ts';
import type { DecidedRequest } from './batch-parts.ts';
import { OTHER_REASONS } from './decide-events.ts';
import type { FateCount, RejectionCount } from './ingest.queries.ts';

/** Returns the outcomes of a window's events as counters, by token, hour, outcome and rule. */
export function countFates(members: readonly DecidedRequest[]): FateCount[] {
  const counts = new Map<string, FateCount>();
  for (const { admission, decisions } of members) {
    const hour = hourOf(admission.receivedAtMs);
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

/** Reasons of one project in one window that are counted one by one. */
const REASONS_MAX = 20;

/** The rejected events of a window, by token, hour and reason. */
export function countRejections(members: readonly DecidedRequest[]): RejectionCount[] {
  const counts = new Map<string, RejectionCount>();
  const reasonsOf = new Map<string, Set<string>>();
  for (const { admission, decisions } of members) {
    const { tokenId: token_id, projectId: project_id, receivedAtMs } = admission;
    const reasons = reasonsOf.get(project_id) ?? new Set();
    reasonsOf.set(project_id, reasons);
    for (const [text, events] of decisions.rejected) {
      const reason = reasons.has(text) || reasons.size < REASONS_MAX ? text : OTHER_REASONS;
      reasons.add(reason);
      const key = `${token_id} ${reason}`;
      const known = counts.get(key);
      if (known === undefined) {
        counts.set(key, { token_id, project_id, hour: hourOf(receivedAtMs), reason, events });
      } else known.events += events;
    }
  }
  return [...counts.values()];
}

function hourOf(timeMs: number): string {
  return new Date(Math.floor(timeMs / 3_600_000) * 3_600_000).toISOString();
}

/** Adds the committed events to the metrics; projects that were deleted since are not counted. */
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
