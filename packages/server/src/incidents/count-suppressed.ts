import type { BundleRequest } from '../bundles/request-bundles.ts';
import { SEVERITIES } from '../events/severity.ts';
import type { LifecycleEvent } from '../lifecycle/lifecycle.queries.ts';
import { attachContextRows } from '../lifecycle/timeline.queries.ts';
import type { Queryable } from '../platform/db/database.ts';
import { libraryCode } from './apply-events.ts';
import { addMinutes, findSuppressedIncidents, readMinutes } from './evidence.queries.ts';
import { type HeldIncident, lockIncidents, updateIncidents } from './held-incidents.queries.ts';
import type { ServiceEvent } from './hold-groups.ts';
import { addSuppressed } from './incident-state.ts';
import { detectSpike, MINUTES_KEPT, minuteIndex, type SpikeFacts, spikeFacts } from './spike.ts';

/** Widening of a summary's span when its incident is looked for (incidents.md 5.10). */
const SPAN_SLACK_MS = 2000;

/**
 * Attributes suppression summaries to the one incident they can belong to and counts their duplicates; a summary
 * without a single candidate stays an operational record. Runs after the batch's own signals were stored.
 */
export async function countSuppressed(
  transaction: Queryable,
  projectId: string,
  events: readonly ServiceEvent[],
  nowMs: number,
): Promise<{ lifecycle: LifecycleEvent[]; bundleRequests: BundleRequest[] }> {
  const result: { lifecycle: LifecycleEvent[]; bundleRequests: BundleRequest[] } = {
    lifecycle: [],
    bundleRequests: [],
  };
  for (const each of events) {
    const payload = summaryOf(each);
    if (payload === null) continue;
    const candidates = await findSuppressedIncidents(transaction, {
      projectId,
      serviceId: each.serviceId,
      library: libraryCode(each.event),
      fromMs: payload.firstSeenMs - SPAN_SLACK_MS,
      toMs: payload.lastSeenMs + SPAN_SLACK_MS,
    });
    const [incident] = candidates.length === 1 ? await lockIncidents(transaction, candidates) : [];
    if (incident === undefined) continue;
    const { incidentId } = incident;
    incident.state = addSuppressed(incident.state, payload.suppressedCount, payload.lastSeenMs);
    incident.suppressedCount += payload.suppressedCount;
    const added = spreadEvenly(payload.suppressedCount, payload.firstSeenMs, payload.lastSeenMs);
    const at = { atMs: payload.lastSeenMs, receivedAtMs: each.event.receivedAtMs };
    const spike = await noteSpike(transaction, incident, at, added, nowMs);
    if (spike !== null) {
      const data = { severity: SEVERITIES[incident.state.severity], ...spike };
      result.lifecycle.push({ projectId, incidentId, kind: 'incident.spike_detected', data });
    }
    const minutes = [...added].map(([minute, occurrences]) => ({ incidentId, minute, occurrences }));
    await addMinutes(transaction, minutes, minuteIndex(nowMs) - MINUTES_KEPT);
    await updateIncidents(transaction, [incident]);
    await attachContextRows(transaction, incidentId, [{ event: each.event, isSignal: false }]);
    result.bundleRequests.push({ incidentId, trigger: 'context' });
  }
  return result;
}

/** The summary of an event that has one; its times are clamped like every client clock (5.2). */
function summaryOf({ event }: ServiceEvent) {
  const { payload } = event;
  return payload.kind !== 'suppressed' || payload.suppressedCount === 0 ? null : payload;
}

/** Duplicates by minute, spread evenly over their span; of a long one the minutes that a rule may still look at. */
function spreadEvenly(count: number, fromMs: number, toMs: number): Map<number, number> {
  const last = minuteIndex(toMs);
  const minutes = last - minuteIndex(fromMs) + 1;
  const spread = new Map<number, number>();
  for (let index = Math.max(0, minutes - MINUTES_KEPT); index < minutes; index += 1) {
    const share = Math.round((count * (index + 1)) / minutes) - Math.round((count * index) / minutes);
    if (share > 0) spread.set(last - minutes + 1 + index, share);
  }
  return spread;
}

/** The figures of a spike that the duplicates show; null when they show none. */
async function noteSpike(
  transaction: Queryable,
  incident: HeldIncident,
  at: { atMs: number; receivedAtMs: number },
  added: ReadonlyMap<number, number>,
  nowMs: number,
): Promise<SpikeFacts | null> {
  if (incident.state.status === 'resolved') return null;
  const minutes = await readMinutes(transaction, [incident.incidentId]);
  const counts = minutes.get(incident.incidentId) ?? new Map<number, number>();
  for (const [minute, occurrences] of added) counts.set(minute, (counts.get(minute) ?? 0) + occurrences);
  const { detected, episode } = detectSpike({
    firstSeenAtMs: incident.state.firstSeenAtMs,
    ...at,
    minuteCounts: counts,
    episode: incident.spikeLastTrueAtMs === null ? null : { lastTrueAtMs: incident.spikeLastTrueAtMs },
  });
  incident.spikeLastTrueAtMs = episode?.lastTrueAtMs ?? null;
  if (!detected) return null;
  incident.spikeDetectedAtMs = nowMs;
  return spikeFacts(counts, at.atMs, nowMs);
}
