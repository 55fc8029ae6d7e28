import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { RecordLocation } from '../stored-events/raw-record.ts';
import { DETECTORS } from './detectors.ts';
import type {
  IncidentChange,
  Observation,
  ObservedAttempts,
  ObservedBatch,
  ObservedGroup,
  ObservedLocation,
} from './observation.ts';

/** An event that was counted, with what it says to the detectors. */
interface ObservedEvent {
  event: Pick<NormalizedEvent, 'eventId' | 'effectiveAtMs' | 'receivedAtMs'>;
  serviceId: string;
  batchId: string;
  record: { location: RecordLocation };
  observations: readonly Observation[];
}

/**
 * The bounds of one processing transaction's observations, so that no flood of keys becomes a large job. The first ones
 * are kept; groups that match have a separate bound from groups that are only part of a total.
 */
const GROUPS_MAX = 500;
const TOTALS_MAX = 500;
const CORRELATIONS_MAX = 200;
const ATTEMPTS_MAX = 8;

/**
 * Adds up observations by key and span of time; null when there is nothing to pass on (docs/contract/incidents.md 6.2).
 */
export function collectObservations(
  events: readonly ObservedEvent[],
  incidents: readonly IncidentChange[],
): ObservedBatch | null {
  const groups = new Map<string, ObservedGroup>();
  const attempts = new Map<string, ObservedAttempts>();
  let totals = 0;
  for (const observed of events) {
    for (const observation of observed.observations) {
      if (observation.correlation !== null) {
        addAttempt(attempts, observed, observation.key, String(observation.correlation));
        continue;
      }
      const key = groupKey(observed, observation);
      const known = groups.get(key);
      if (known !== undefined) addToGroup(known, observed, observation);
      else if (observation.matches === 0 ? totals < TOTALS_MAX : groups.size - totals < GROUPS_MAX) {
        if (observation.matches === 0) totals += 1;
        groups.set(key, newGroup(observed, observation));
      }
    }
  }
  if (groups.size === 0 && attempts.size === 0 && incidents.length === 0) return null;
  return { groups: [...groups.values()], attempts: [...attempts.values()], incidents: [...incidents] };
}

function groupKey({ event, serviceId }: ObservedEvent, { detector, matches, key }: Observation): string {
  return `${detector} ${matches} ${bucketOf(detector, event.effectiveAtMs)} ${serviceId} ${key}`;
}

/** The beginning of the span of time that a moment lies in. */
export function bucketOf(detector: keyof typeof DETECTORS, atMs: number): number {
  const { bucketMs } = DETECTORS[detector];
  return Math.floor(atMs / bucketMs) * bucketMs;
}

function newGroup(observed: ObservedEvent, observation: Observation): ObservedGroup {
  const { effectiveAtMs, receivedAtMs } = observed.event;
  const { detector, key, matches, severe, weight } = observation;
  const place = locationOf(observed, weight);
  return {
    detector,
    serviceId: observed.serviceId,
    key,
    bucketAtMs: bucketOf(detector, effectiveAtMs),
    matches,
    count: 1,
    severe: [severe >= 3 ? 1 : 0, severe >= 2 ? 1 : 0, severe >= 1 ? 1 : 0],
    firstAtMs: effectiveAtMs,
    lastAtMs: effectiveAtMs,
    firstReceivedAtMs: receivedAtMs,
    lastReceivedAtMs: receivedAtMs,
    latest: place,
    heaviest: place,
  };
}

function addToGroup(group: ObservedGroup, observed: ObservedEvent, { severe, weight }: Observation): void {
  const { effectiveAtMs, receivedAtMs } = observed.event;
  group.count += 1;
  if (severe >= 3) group.severe[0] += 1;
  if (severe >= 2) group.severe[1] += 1;
  if (severe >= 1) group.severe[2] += 1;
  if (effectiveAtMs < group.firstAtMs) group.firstAtMs = effectiveAtMs;
  if (receivedAtMs < group.firstReceivedAtMs) group.firstReceivedAtMs = receivedAtMs;
  if (receivedAtMs > group.lastReceivedAtMs) group.lastReceivedAtMs = receivedAtMs;
  if (effectiveAtMs > group.lastAtMs) {
    group.lastAtMs = effectiveAtMs;
    if (group.matches > 0) group.latest = locationOf(observed, weight);
  }
  if (weight > group.heaviest.weight && group.matches > 0) group.heaviest = locationOf(observed, weight);
}

function addAttempt(
  attempts: Map<string, ObservedAttempts>,
  observed: ObservedEvent,
  key: string,
  correlation: string,
): void {
  const { effectiveAtMs, receivedAtMs } = observed.event;
  const mapKey = `${observed.serviceId} ${correlation} ${key}`;
  const known = attempts.get(mapKey);
  if (known === undefined) {
    if (attempts.size >= CORRELATIONS_MAX) return;
    attempts.set(mapKey, {
      serviceId: observed.serviceId,
      key,
      correlation,
      atMs: [effectiveAtMs],
      firstReceivedAtMs: receivedAtMs,
      lastReceivedAtMs: receivedAtMs,
      latest: locationOf(observed, 0),
    });
    return;
  }
  if (known.atMs.length < ATTEMPTS_MAX) known.atMs.push(effectiveAtMs);
  known.firstReceivedAtMs = Math.min(known.firstReceivedAtMs, receivedAtMs);
  known.lastReceivedAtMs = Math.max(known.lastReceivedAtMs, receivedAtMs);
  if (effectiveAtMs > known.latest.effectiveAtMs) known.latest = locationOf(observed, 0);
}

function locationOf({ event, batchId, record }: ObservedEvent, weight: number): ObservedLocation {
  const { frameOffset, frameLength, recordOffset } = record.location;
  return {
    eventId: event.eventId,
    batchId,
    frameOffset,
    frameLength,
    recordOffset,
    receivedAtMs: event.receivedAtMs,
    effectiveAtMs: event.effectiveAtMs,
    weight,
  };
}
