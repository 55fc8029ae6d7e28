import type { BundleRequest } from '../bundles/request-bundles.ts';
import { SEVERITIES } from '../events/severity.ts';
import { type IncidentChange, NO_CHANGE } from '../improvements/observation.ts';
import type { LifecycleEvent } from '../lifecycle/lifecycle.queries.ts';
import type { Queryable } from '../platform/db/database.ts';
import { countMembers } from './count-members.ts';
import { addMinutes, readMinutes } from './evidence.queries.ts';
import { updateIncidents } from './held-incidents.queries.ts';
import { holdGroups, occurrenceOf, type ServiceEvent, type SignalGroup } from './hold-groups.ts';
import { advanceIncident } from './incident-state.ts';
import { keepSamples } from './keep-samples.ts';
import { noOffers, type Offers } from './make-offers.ts';
import { newDays } from './new-days.ts';
import { regressionFacts } from './regression.ts';
import { detectSpike, MINUTES_KEPT, minuteIndex, spikeFacts } from './spike.ts';

export interface CountedSignals {
  incidentOf: Map<ServiceEvent, string>;
  lifecycle: LifecycleEvent[];
  bundleRequests: BundleRequest[];
  offers: Offers;
  /** What the detectors of improvements look at. */
  changes: IncidentChange[];
}

/** No spike rule can be true below this count of the whole incident. */
const SPIKE_COUNT_MIN = 10;

/** Groups counted signals into incidents and moves their state (incidents.md 1.4, 5.5 to 5.8). */
export async function countSignals(
  transaction: Queryable,
  projectId: string,
  signals: readonly ServiceEvent[],
  nowMs: number,
): Promise<CountedSignals> {
  const result: CountedSignals = {
    incidentOf: new Map(),
    lifecycle: [],
    bundleRequests: [],
    offers: noOffers(),
    changes: [],
  };
  if (signals.length === 0) return result;

  const groups = await holdGroups(transaction, projectId, signals, nowMs);
  const minutes = await readMinutes(transaction, heldBefore(groups));
  const newMinutes: { incidentId: string; minute: number; occurrences: number }[] = [];
  for (const group of groups) {
    const { incident } = group;
    for (const signal of group.signals) result.incidentOf.set(signal, incident.incidentId);
    move(group, projectId, nowMs, result);
    const added = countMinutes(group.signals);
    for (const [minute, occurrences] of added)
      newMinutes.push({ incidentId: incident.incidentId, minute, occurrences });
    const counts = minutes.get(incident.incidentId) ?? new Map<number, number>();
    noteSpike(group, projectId, counts, added, nowMs, result);
  }
  await addMinutes(transaction, newMinutes, minuteIndex(nowMs) - MINUTES_KEPT);
  await countMembers(transaction, groups, nowMs);
  result.offers = await keepSamples(transaction, groups);
  await updateIncidents(
    transaction,
    groups.filter((group) => !group.isNew || hasMoved(group)).map((group) => group.incident),
  );
  return result;
}

function heldBefore(groups: readonly SignalGroup[]): string[] {
  return groups.filter((group) => !group.isNew).map((group) => group.incident.incidentId);
}

/** A new incident's row already tells of its first signal; anything beyond needs an update. */
function hasMoved({ incident, signals }: SignalGroup): boolean {
  return (
    signals.length > 1 ||
    incident.affectedUsers > 0 ||
    incident.distinctRequests > 0 ||
    incident.occurrencesWithoutRequestId > 0 ||
    incident.occurrencesWithRequestBlock > 0
  );
}

/** Advances the state and notes what happened. */
function move(group: SignalGroup, projectId: string, nowMs: number, result: CountedSignals): void {
  const { incident, isNew } = group;
  const { incidentId } = incident;
  const before = incident.state;
  const counted = isNew ? group.signals.slice(1) : group.signals;
  const advance = advanceIncident(before, counted.map(occurrenceOf), nowMs);
  incident.state = advance.state;
  const severity = SEVERITIES[advance.state.severity];
  if (isNew) {
    const data = { severity };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.opened', data });
    result.bundleRequests.push({ incidentId, trigger: 'created' });
  }
  if (advance.regressedBy !== null) {
    const data = { severity, ...regressionFacts(group.deployments, advance.regressedBy.effectiveAtMs) };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.regressed', data });
    result.bundleRequests.push({ incidentId, trigger: 'regressed' });
    result.changes.push({
      ...NO_CHANGE,
      incidentId,
      regressions: 1,
      deployRegressions: data.regression_after_deploy ? 1 : 0,
    });
  }
  const dayMs = newDays(before, counted);
  if (dayMs.length > 0) result.changes.push({ ...NO_CHANGE, incidentId, dayMs });
  // A backlog that leaves the incident resolved is counted and shown, but it is no news (T10).
  const isActive = advance.state.status !== 'resolved';
  if (!isNew && isActive && advance.isSeverityRaised) {
    const data = { from: SEVERITIES[before.severity], to: severity };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.severity_raised', data });
    result.bundleRequests.push({ incidentId, trigger: 'severity' });
  }
  if (!isNew) result.bundleRequests.push({ incidentId, trigger: isActive ? 'signal' : 'backlog' });
}

function countMinutes(signals: readonly ServiceEvent[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { event } of signals) {
    const minute = minuteIndex(event.effectiveAtMs);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  return counts;
}

/**
 * Judges the spike rules after the signals were added (5.7). Counts only grow, so it is enough to look once for each
 * minute of the batch, at its last signal.
 */
function noteSpike(
  group: SignalGroup,
  projectId: string,
  counts: Map<number, number>,
  added: ReadonlyMap<number, number>,
  nowMs: number,
  result: CountedSignals,
): void {
  const { incident, signals } = group;
  for (const [minute, occurrences] of added) counts.set(minute, (counts.get(minute) ?? 0) + occurrences);
  if (incident.state.status === 'resolved' || incident.state.occurrenceCount < SPIKE_COUNT_MIN) return;
  const lastOfMinute = new Map<number, ServiceEvent>();
  for (const signal of signals) {
    const minute = minuteIndex(signal.event.effectiveAtMs);
    const known = lastOfMinute.get(minute);
    if (known === undefined || known.event.effectiveAtMs <= signal.event.effectiveAtMs)
      lastOfMinute.set(minute, signal);
  }
  const inOrder = [...lastOfMinute.values()].sort((a, b) => a.event.effectiveAtMs - b.event.effectiveAtMs);
  for (const { event } of inOrder) {
    const { detected, episode } = detectSpike({
      firstSeenAtMs: incident.state.firstSeenAtMs,
      atMs: event.effectiveAtMs,
      receivedAtMs: event.receivedAtMs,
      minuteCounts: counts,
      episode: incident.spikeLastTrueAtMs === null ? null : { lastTrueAtMs: incident.spikeLastTrueAtMs },
    });
    incident.spikeLastTrueAtMs = episode?.lastTrueAtMs ?? null;
    if (!detected) continue;
    incident.spikeDetectedAtMs = nowMs;
    const { incidentId } = incident;
    const severity = SEVERITIES[incident.state.severity];
    const data = { severity, ...spikeFacts(counts, event.effectiveAtMs, nowMs) };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.spike_detected', data });
  }
}
