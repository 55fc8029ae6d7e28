import type { SignalType } from '@culprit/contract/incidents/bundle';
import type { ImprovementKind, ImprovementSensitivity } from '@culprit/contract/incidents/improvements';
import type { Severity } from '@culprit/evidence/events/normalize/event';

/** Detectors whose observations are events. */
const EVENT_DETECTORS = [
  'slow_request',
  'slow_query',
  'warning_hotspot',
  'deprecation',
  'request_failure',
  'retry_loop',
] as const;
export type EventDetector = (typeof EVENT_DETECTORS)[number];

/** Detectors that read what became of incidents; they have no bundle of their own. */
const INCIDENT_DETECTORS = ['recurring_incident', 'post_deploy_regression'] as const;

export type Detector = EventDetector | (typeof INCIDENT_DETECTORS)[number];

/** One value per sensitivity. */
export type PerSensitivity = Readonly<Record<ImprovementSensitivity, number>>;

interface DetectorRule {
  kind: ImprovementKind;
  /** Null: no bundle. */
  signalType: SignalType | null;
  windowMs: number;
  /** The length of the buckets in which observations are counted; those across the edge of a window are not counted. */
  bucketMs: number;
  thresholds: PerSensitivity;
  /** True if its observations are requests, so that one of them may be replayed. */
  isOfRequests: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Milliseconds from which a request or a statement is slow. */
export const SLOW_REQUEST_MS: PerSensitivity = { high_confidence: 2000, balanced: 1500, verbose: 1000 };
export const SLOW_QUERY_MS: PerSensitivity = { high_confidence: 1000, balanced: 500, verbose: 250 };
/** Least part of a route's requests, where all requests are captured. */
const SLOW_PERCENT: PerSensitivity = { high_confidence: 10, balanced: 5, verbose: 2 };
/** Least time from the first to the last warning. */
const WARNING_SPAN_MS: PerSensitivity = {
  high_confidence: 30 * MINUTE_MS,
  balanced: 15 * MINUTE_MS,
  verbose: 0,
};
/** Attempts of one group of retries, and the time they fit into. */
export const GROUP_ATTEMPTS: PerSensitivity = { high_confidence: 5, balanced: 4, verbose: 3 };
export const GROUP_SPAN_MS = MINUTE_MS;
/** Days with occurrences that make an incident a recurring one, whatever its regressions. */
const RECURRING_DAYS: PerSensitivity = { high_confidence: 5, balanced: 4, verbose: 3 };

/** The table of docs/contract/incidents.md 6.2. */
export const DETECTORS: Readonly<Record<Detector, DetectorRule>> = {
  slow_request: {
    kind: 'slow_request',
    signalType: 'performance_issue',
    windowMs: DAY_MS,
    bucketMs: 10 * MINUTE_MS,
    thresholds: { high_confidence: 20, balanced: 10, verbose: 5 },
    isOfRequests: true,
  },
  slow_query: {
    kind: 'slow_request',
    signalType: 'slow_query',
    windowMs: DAY_MS,
    bucketMs: 10 * MINUTE_MS,
    thresholds: { high_confidence: 20, balanced: 10, verbose: 5 },
    isOfRequests: false,
  },
  warning_hotspot: {
    kind: 'warning_hotspot',
    signalType: 'warning',
    windowMs: DAY_MS,
    bucketMs: 10 * MINUTE_MS,
    thresholds: { high_confidence: 50, balanced: 25, verbose: 10 },
    isOfRequests: false,
  },
  deprecation: {
    kind: 'warning_hotspot',
    signalType: 'deprecation',
    windowMs: 7 * DAY_MS,
    bucketMs: HOUR_MS,
    thresholds: { high_confidence: 10, balanced: 5, verbose: 3 },
    isOfRequests: false,
  },
  request_failure: {
    kind: 'request_failure_pattern',
    signalType: 'request_failure',
    windowMs: DAY_MS,
    bucketMs: 10 * MINUTE_MS,
    thresholds: { high_confidence: 50, balanced: 25, verbose: 10 },
    isOfRequests: true,
  },
  retry_loop: {
    kind: 'request_failure_pattern',
    signalType: 'retry_loop',
    windowMs: DAY_MS,
    bucketMs: 10 * MINUTE_MS,
    thresholds: { high_confidence: 3, balanced: 2, verbose: 1 },
    isOfRequests: true,
  },
  recurring_incident: {
    kind: 'recurring_incident',
    signalType: null,
    windowMs: 30 * DAY_MS,
    bucketMs: DAY_MS,
    thresholds: { high_confidence: 3, balanced: 2, verbose: 2 },
    isOfRequests: false,
  },
  post_deploy_regression: {
    kind: 'post_deploy_regression',
    signalType: null,
    windowMs: 30 * DAY_MS,
    bucketMs: DAY_MS,
    thresholds: { high_confidence: 1, balanced: 1, verbose: 1 },
    isOfRequests: false,
  },
};

/** The detectors whose findings are of a kind. */
export function detectorsOf(wanted: {
  kind?: ImprovementKind | undefined;
  except?: ImprovementKind | undefined;
}): Detector[] {
  return [...EVENT_DETECTORS, ...INCIDENT_DETECTORS].filter((detector) => {
    const { kind } = DETECTORS[detector];
    return (wanted.kind === undefined || kind === wanted.kind) && kind !== wanted.except;
  });
}

/** The longest window: nothing older matters to any detector. */
export const WINDOW_MAX_MS = 30 * DAY_MS;

/** The observations of one key inside its window. */
export interface WindowSums {
  matches: PerSensitivity;
  severe: PerSensitivity;
  total: number;
  /** Buckets that hold a match. */
  buckets: number;
  /** Effective times of the first and last match; null without one. */
  firstAtMs: number | null;
  lastAtMs: number | null;
}

/** A threshold that is reached. */
export interface Finding {
  observed: number;
  threshold: number;
  severity: Severity;
  /** The detector's own numbers for the evidence. */
  values: Readonly<Record<string, number>>;
}

/**
 * Returns the finding if the sums of an event detector reach its threshold at a sensitivity (docs/contract/incidents.md
 * 6.2).
 */
export function judgeEvents(
  detector: EventDetector,
  sums: WindowSums,
  sensitivity: ImprovementSensitivity,
  capturesAllRequests: boolean,
): Finding | null {
  const threshold = DETECTORS[detector].thresholds[sensitivity];
  const observed = sums.matches[sensitivity];
  if (observed < threshold || sums.firstAtMs === null || sums.lastAtMs === null) return null;
  const finding = { observed, threshold, severity: 'medium' as Severity, values: {} };
  switch (detector) {
    case 'slow_request': {
      const percent = SLOW_PERCENT[sensitivity];
      if (capturesAllRequests && observed * 100 < percent * sums.total) return null;
      // The nearest-rank 95th percentile lies at twice the limit when more than 5 percent do.
      const isSevere = sums.severe[sensitivity] > Math.floor(observed * 0.05);
      const values = {
        limit_ms: SLOW_REQUEST_MS[sensitivity],
        ...(capturesAllRequests
          ? { requests: sums.total, percent: roundedPercent(observed, sums.total) }
          : {}),
      };
      return { ...finding, severity: isSevere ? 'medium' : 'low', values };
    }
    case 'slow_query':
      return { ...finding, values: { limit_ms: SLOW_QUERY_MS[sensitivity] } };
    case 'warning_hotspot':
      if (sums.lastAtMs - sums.firstAtMs < WARNING_SPAN_MS[sensitivity]) return null;
      return { ...finding, severity: 'low' };
    case 'deprecation':
      return { ...finding, severity: 'low' };
    case 'request_failure':
      return finding;
    case 'retry_loop':
      return { ...finding, values: { group_attempts: GROUP_ATTEMPTS[sensitivity] } };
  }
}

/** Returns the finding if an incident recurs, by its regressions or by the days on which it occurred. */
export function judgeRecurrence(
  regressions: number,
  days: number,
  severity: Severity,
  sensitivity: ImprovementSensitivity,
): Finding | null {
  const threshold = DETECTORS.recurring_incident.thresholds[sensitivity];
  if (regressions >= threshold)
    return { observed: regressions, threshold, severity, values: { regressions } };
  const daysThreshold = RECURRING_DAYS[sensitivity];
  if (days < daysThreshold) return null;
  return { observed: days, threshold: daysThreshold, severity, values: { days } };
}

/** In hundredths: `min(0.95, 0.60 + 0.10 x log2(observed / threshold))`. */
export function confidencePercent({ observed, threshold }: Pick<Finding, 'observed' | 'threshold'>): number {
  return Math.round(Math.min(95, 60 + 10 * Math.log2(observed / threshold)));
}

function roundedPercent(part: number, whole: number): number {
  return whole === 0 ? 100 : Math.round((part * 1000) / whole) / 10;
}
