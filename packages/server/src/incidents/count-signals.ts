import type { BundleRequest } from '../bundles/request-bundles.ts';
import { eventTitle } from '../events/fingerprint/event-title.ts';
import { SEVERITIES } from '../events/severity.ts';
import type { LifecycleEvent } from '../lifecycle/lifecycle.queries.ts';
import type { Queryable } from '../platform/db/database.ts';
import { newUuid } from '../platform/ids.ts';
import { countMembers } from './count-members.ts';
import { addMinutes, readMinutes } from './evidence.queries.ts';
import {
  findIncidentIds,
  type HeldIncident,
  incidentKey,
  insertIncidents,
  lockIncidents,
  type NewIncident,
  updateIncidents,
} from './held-incidents.queries.ts';
import { describeReason } from './incident-reason.ts';
import { advanceIncident, openIncident } from './incident-state.ts';
import { keepSamples } from './keep-samples.ts';
import { noOffers, type Offers } from './make-offers.ts';
import type { ReadEvent } from './read-batches.ts';
import { type Deployment, regressionFacts } from './regression.ts';
import { findDeployments, serviceKey } from './services.queries.ts';
import { detectSpike, MINUTES_KEPT, minuteIndex } from './spike.ts';

/** A read event with the row of its service. */
export interface ServiceEvent extends ReadEvent {
  serviceId: string;
}

/** The signals of one grouping key in one transaction. */
export interface SignalGroup {
  incident: HeldIncident;
  isNew: boolean;
  /** All signals of the key, the one that opened the incident included. */
  signals: ServiceEvent[];
  deployments: readonly Deployment[];
}

export interface CountedSignals {
  incidentOf: Map<ServiceEvent, string>;
  lifecycle: LifecycleEvent[];
  bundleRequests: BundleRequest[];
  offers: Offers;
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

/** Finds, makes and locks the incidents of the signals' keys. */
async function holdGroups(
  transaction: Queryable,
  projectId: string,
  signals: readonly ServiceEvent[],
  nowMs: number,
): Promise<SignalGroup[]> {
  const byKey = new Map<string, ServiceEvent[]>();
  for (const signal of signals) {
    const key = incidentKey(signal.serviceId, signal.fingerprint?.value ?? '');
    const members = byKey.get(key);
    if (members === undefined) byKey.set(key, [signal]);
    else members.push(signal);
  }
  const keys = [...byKey.values()].flatMap(([first]) =>
    first === undefined ? [] : [{ serviceId: first.serviceId, fingerprint: first.fingerprint?.value ?? '' }],
  );
  let known = await findIncidentIds(transaction, keys);
  const made = [...byKey].flatMap(([key, [first]]) =>
    first === undefined || known.has(key) ? [] : [newIncident(first, nowMs)],
  );
  const ours = await insertIncidents(transaction, projectId, made);
  // Another transaction may have made some of them between the look-up and the insert.
  if (ours.size < made.length) known = await findIncidentIds(transaction, keys);
  const held = await lockIncidents(
    transaction,
    [...known.values()].filter((incidentId) => !ours.has(incidentId)),
  );
  const deployments = await findDeployments(transaction, projectId, servicesOf(signals));

  const incidents = new Map<string, { incident: HeldIncident; isNew: boolean }>();
  for (const incident of held) {
    incidents.set(incidentKey(incident.serviceId, incident.fingerprint), { incident, isNew: false });
  }
  for (const incident of made) {
    if (!ours.has(incident.incidentId)) continue;
    incidents.set(incidentKey(incident.serviceId, incident.fingerprint), {
      incident: heldFromNew(incident),
      isNew: true,
    });
  }
  return [...byKey].map(([key, members]) => {
    const found = incidents.get(key);
    const first = members[0];
    if (found === undefined || first === undefined)
      throw new Error('an incident vanished while its key was held');
    const { name, environment } = first.event.service;
    return { ...found, signals: members, deployments: deployments.get(serviceKey(name, environment)) ?? [] };
  });
}

/** The services of the signals, each with the span of effective times. */
function servicesOf(signals: readonly ServiceEvent[]) {
  const services = new Map<
    string,
    { name: string; environment: string; earliestMs: number; latestMs: number }
  >();
  for (const { serviceId, event } of signals) {
    const { effectiveAtMs } = event;
    const known = services.get(serviceId);
    if (known === undefined) {
      const { name, environment } = event.service;
      services.set(serviceId, { name, environment, earliestMs: effectiveAtMs, latestMs: effectiveAtMs });
    } else {
      known.earliestMs = Math.min(known.earliestMs, effectiveAtMs);
      known.latestMs = Math.max(known.latestMs, effectiveAtMs);
    }
  }
  return [...services.values()];
}

function newIncident(first: ServiceEvent, nowMs: number): NewIncident {
  const { event, fingerprint } = first;
  if (fingerprint === null) throw new Error('a signal without a fingerprint cannot open an incident');
  const reason = describeReason(event, first.record.matchedPolicy);
  return {
    incidentId: newUuid(),
    serviceId: first.serviceId,
    serviceName: event.service.name,
    environment: event.service.environment,
    fingerprint: fingerprint.value,
    fingerprintKind: fingerprint.kind,
    title: eventTitle(event),
    state: openIncident(occurrenceOf(first), nowMs),
    matchedFields: fingerprint.matchedFields,
    reasonKind: reason.kind,
    reasonDescription: reason.description,
    reasonEventType: event.eventType,
    reasonMatchedPolicy: reason.matchedPolicy,
    isVerification: event.context.verification === true,
  };
}

function heldFromNew(incident: NewIncident): HeldIncident {
  return {
    incidentId: incident.incidentId,
    serviceId: incident.serviceId,
    fingerprint: incident.fingerprint,
    state: incident.state,
    spikeDetectedAtMs: null,
    spikeLastTrueAtMs: null,
    affectedUsers: 0,
    distinctRequests: 0,
    occurrencesWithoutRequestId: 0,
    occurrencesWithRequestBlock: 0,
    suppressedCount: 0,
  };
}

function occurrenceOf(signal: ServiceEvent) {
  return {
    effectiveAtMs: signal.event.effectiveAtMs,
    receivedAtMs: signal.event.receivedAtMs,
    severity: SEVERITIES.indexOf(signal.severity),
  };
}

/** Advances the state and notes what happened. */
function move(group: SignalGroup, projectId: string, nowMs: number, result: CountedSignals): void {
  const { incident, isNew } = group;
  const { incidentId } = incident;
  const before = incident.state;
  const counted = isNew ? group.signals.slice(1) : group.signals;
  const advance = advanceIncident(before, counted.map(occurrenceOf), nowMs);
  incident.state = advance.state;
  if (isNew) {
    const data = { severity: SEVERITIES[advance.state.severity] };
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.opened', data });
    result.bundleRequests.push({ incidentId, trigger: 'created' });
  }
  if (advance.regressedBy !== null) {
    const data = regressionFacts(group.deployments, advance.regressedBy.effectiveAtMs);
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.regressed', data });
    result.bundleRequests.push({ incidentId, trigger: 'regressed' });
  }
  // A backlog that leaves the incident resolved is counted and shown, but it is no news (T10).
  const isActive = advance.state.status !== 'resolved';
  if (!isNew && isActive && advance.isSeverityRaised) {
    const data = { from: SEVERITIES[before.severity], to: SEVERITIES[advance.state.severity] };
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
    result.lifecycle.push({ projectId, incidentId, kind: 'incident.spike_detected', data: {} });
  }
}
