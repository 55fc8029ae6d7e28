import { availabilityTitle, eventTitle } from '../events/fingerprint/event-title.ts';
import { safeText, TEXT_CHARS_MAX } from '../events/safe-text.ts';
import { SEVERITIES } from '../events/severity.ts';
import type { Queryable } from '../platform/db/database.ts';
import { newUuid } from '../platform/ids.ts';
import {
  findIncidentIds,
  type HeldIncident,
  incidentKey,
  insertIncidents,
  lockIncidents,
  type NewIncident,
} from './held-incidents.queries.ts';
import { describeReason } from './incident-reason.ts';
import { openIncident } from './incident-state.ts';
import type { ReadEvent } from './read-batches.ts';
import type { Deployment } from './regression.ts';
import { findDeployments, serviceKey } from './services.queries.ts';

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

/** A key whose incident went is free for a new one, so the second look finds it or makes it. */
const LOOKS_MAX = 3;

/** Finds, makes and locks the incidents of the signals' keys. */
export async function holdGroups(
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
  const held = new Map<string, { incident: HeldIncident; isNew: boolean }>();
  let firsts = [...byKey].flatMap(([key, [first]]) => (first === undefined ? [] : [{ key, first }]));
  for (let look = 1; firsts.length > 0; look += 1) {
    if (look > LOOKS_MAX) throw new Error('incidents vanish while their keys are being held');
    for (const each of await holdIncidents(transaction, projectId, firsts, nowMs)) {
      held.set(incidentKey(each.incident.serviceId, each.incident.fingerprint), each);
    }
    // One that was at the end of its retention may have gone before it was locked; then its key is free for a new one.
    firsts = firsts.filter(({ key }) => !held.has(key));
  }
  const deployments = await findDeployments(transaction, projectId, servicesOf(signals));
  return [...byKey].flatMap(([key, members]) => {
    const found = held.get(key);
    const service = members[0]?.event.service;
    if (found === undefined || service === undefined) return [];
    const ran = deployments.get(serviceKey(service.name, service.environment)) ?? [];
    return [{ ...found, signals: members, deployments: ran }];
  });
}

/** The incidents of some keys, each by its first signal; one that went between the look and the lock is missing. */
async function holdIncidents(
  transaction: Queryable,
  projectId: string,
  firsts: readonly { key: string; first: ServiceEvent }[],
  nowMs: number,
): Promise<{ incident: HeldIncident; isNew: boolean }[]> {
  const keys = firsts.map(({ first }) => ({
    serviceId: first.serviceId,
    fingerprint: first.fingerprint?.value ?? '',
  }));
  let known = await findIncidentIds(transaction, keys);
  const made = firsts.flatMap(({ key, first }) => (known.has(key) ? [] : [newIncident(first, nowMs)]));
  const ours = await insertIncidents(transaction, projectId, made);
  // Another transaction may have made some of them between the look-up and the insert.
  if (ours.size < made.length) known = await findIncidentIds(transaction, keys);
  const before = await lockIncidents(
    transaction,
    [...known.values()].filter((incidentId) => !ours.has(incidentId)),
  );
  return [
    ...before.map((incident) => ({ incident, isNew: false })),
    ...made
      .filter((incident) => ours.has(incident.incidentId))
      .map((incident) => ({ incident: heldFromNew(incident), isNew: true })),
  ];
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
  const { event, fingerprint, failingCheck } = first;
  if (fingerprint === null) throw new Error('a signal without a fingerprint cannot open an incident');
  const reason = describeReason(event, first.record.matchedPolicy);
  return {
    incidentId: failingCheck?.incidentId ?? newUuid(),
    serviceId: first.serviceId,
    serviceName: event.service.name,
    environment: event.service.environment,
    fingerprint: fingerprint.value,
    fingerprintKind: fingerprint.kind,
    title:
      failingCheck === null
        ? eventTitle(event)
        : availabilityTitle(safeText(failingCheck.name, TEXT_CHARS_MAX.name)),
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

/** What a signal is to the state of its incident. */
export function occurrenceOf(signal: ServiceEvent) {
  return {
    effectiveAtMs: signal.event.effectiveAtMs,
    receivedAtMs: signal.event.receivedAtMs,
    severity: SEVERITIES.indexOf(signal.severity),
  };
}
