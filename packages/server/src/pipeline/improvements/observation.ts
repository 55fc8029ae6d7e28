import type { EventDetector } from './detectors.ts';

/**
 * An observation of one detector in one event. `matches` is the number of sensitivities at which it counts, the
 * strictest last: 3 at all, 2 at `balanced` and `verbose`, 1 at `verbose`, 0 at none, when it is only part of a total.
 * `severe` is the same for twice the limit.
 */
export interface Observation {
  detector: EventDetector;
  key: string;
  matches: 0 | 1 | 2 | 3;
  severe: 0 | 1 | 2 | 3;
  /** Which of several observations says most: a duration in milliseconds, else 0. */
  weight: number;
  /** The hash of the attributes that a failed request shares with the other attempts, of which it may be one. */
  correlation: bigint | null;
}

/** The place of an observed event's bytes. */
export interface ObservedLocation {
  eventId: string;
  batchId: string;
  frameOffset: number;
  frameLength: number;
  recordOffset: number;
  receivedAtMs: number;
  effectiveAtMs: number;
  weight: number;
}

/** Observations of one key in one span of time that match alike. Times are milliseconds since the epoch. */
export interface ObservedGroup {
  detector: EventDetector;
  serviceId: string;
  key: string;
  bucketAtMs: number;
  matches: Observation['matches'];
  count: number;
  /** The number of severe ones at `high_confidence`, `balanced`, `verbose`. */
  severe: [number, number, number];
  /** Effective times. */
  firstAtMs: number;
  lastAtMs: number;
  firstReceivedAtMs: number;
  lastReceivedAtMs: number;
  latest: ObservedLocation;
  heaviest: ObservedLocation;
}

/** Failed requests of one correlation id. */
export interface ObservedAttempts {
  serviceId: string;
  key: string;
  /** Text of the signed 64-bit hash. */
  correlation: string;
  /** Effective times. */
  atMs: number[];
  firstReceivedAtMs: number;
  lastReceivedAtMs: number;
  latest: ObservedLocation;
}

/** Something new in the course of an incident. */
export interface IncidentChange {
  incidentId: string;
  /**
   * Moments of occurrences on different days, as effective times, when it occurred on a day of which none was known.
   */
  dayMs: readonly number[];
  regressions: number;
  /** Those that came within a day of a deploy (docs/contract/incidents.md 5.8). */
  deployRegressions: number;
}

/** A change of nothing, to be laid under one. */
export const NO_CHANGE: Omit<IncidentChange, 'incidentId'> = {
  dayMs: [],
  regressions: 0,
  deployRegressions: 0,
};

/** The observations that one processing transaction passes on. */
export interface ObservedBatch {
  groups: ObservedGroup[];
  attempts: ObservedAttempts[];
  incidents: IncidentChange[];
}
