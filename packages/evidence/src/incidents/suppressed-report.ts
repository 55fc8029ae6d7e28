import type { NormalizedEvent, SuppressedPayload } from '../events/normalize/event.ts';
import { MINUTES_KEPT, minuteIndex } from './spike.ts';
import type { SuppressedSpan } from './suppressed-span.ts';

/** Returns the content that a report counts; null if it counts nothing or no repeats of one event. */
export function countedPayload({ payload }: NormalizedEvent): SuppressedPayload | null {
  return payload.kind !== 'suppressed' || payload.suppressedCount === 0 || payload.isQueuePressure
    ? null
    : payload;
}

/** Repeats by minute, spread evenly over their span; of a long one the minutes that a spike rule may still use. */
export function spreadEvenly(count: number, { fromMs, toMs }: SuppressedSpan): Map<number, number> {
  const last = minuteIndex(toMs);
  const minutes = last - minuteIndex(fromMs) + 1;
  const spread = new Map<number, number>();
  for (let index = Math.max(0, minutes - MINUTES_KEPT); index < minutes; index += 1) {
    const share = Math.round((count * (index + 1)) / minutes) - Math.round((count * index) / minutes);
    if (share > 0) spread.set(last - minutes + 1 + index, share);
  }
  return spread;
}

/**
 * Keys that are kept of one incident at a time, the most frequent ones. Messages that carry an id have a key each, and
 * what is never repeated is never suppressed.
 */
const KEYS_PER_INCIDENT_MAX = 16;

/** A key under which a library may report repeats of the signals of an incident. */
export interface ReportKey {
  serviceId: string;
  clientKey: bigint;
  incidentId: string;
}

/** A key to keep, and the last signal that has it. */
interface ChosenKey<Signal> extends ReportKey {
  signal: Signal;
}

/** The keys of an incident: those of the service of its first signal by themselves, others by their texts. */
interface IncidentKeys<Signal> {
  serviceId: string;
  keys: Map<bigint | string, ChosenKey<Signal> & { signals: number }>;
}

/** The keys to keep of some counted signals, each once. Of two incidents with one key the later one has it. */
export function chooseReportKeys<
  Signal extends { serviceId: string; clientKeys: readonly bigint[]; incidentId: string },
>(signals: Iterable<Signal>): ChosenKey<Signal>[] {
  const ofIncident = new Map<string, IncidentKeys<Signal>>();
  for (const signal of signals) {
    const { serviceId, clientKeys, incidentId } = signal;
    if (clientKeys.length === 0) continue;
    let keysOf = ofIncident.get(incidentId);
    if (keysOf === undefined) {
      keysOf = { serviceId, keys: new Map() };
      ofIncident.set(incidentId, keysOf);
    }
    const { keys } = keysOf;
    // Nearly all incidents have one service: its keys are spared their texts.
    const isOfFirst = serviceId === keysOf.serviceId;
    for (const clientKey of clientKeys) {
      const id = isOfFirst ? clientKey : reportKeyText(serviceId, clientKey);
      const known = keys.get(id);
      if (known === undefined) keys.set(id, { serviceId, clientKey, incidentId, signal, signals: 1 });
      else {
        known.signals += 1;
        known.signal = signal;
      }
    }
  }
  const kept = new Map<string, ChosenKey<Signal>>();
  for (const { keys } of ofIncident.values()) {
    const frequent =
      keys.size <= KEYS_PER_INCIDENT_MAX
        ? keys
        : [...keys].sort(([, a], [, b]) => b.signals - a.signals).slice(0, KEYS_PER_INCIDENT_MAX);
    for (const [, key] of frequent) kept.set(reportKeyText(key.serviceId, key.clientKey), key);
  }
  return [...kept.values()];
}

/** A key as one text. */
export function reportKeyText(serviceId: string, clientKey: bigint): string {
  return `${serviceId} ${clientKey}`;
}
