import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { confidencePercent, type Finding } from './detectors.ts';

/** The changing part of an improvement. Times are milliseconds since the epoch. */
export interface ImprovementState {
  status: 'candidate' | 'open' | 'resolved' | 'snoozed';
  severity: number;
  confidencePercent: number;
  title: string;
  summary: string;
  evidence: Readonly<Record<string, unknown>>;
  occurrenceCount: number;
  /** Effective times. */
  firstDetectedAtMs: number;
  lastDetectedAtMs: number;
  lastReceivedAtMs: number;
  resolvedAtMs: number | null;
  snoozedUntilMs: number | null;
  episode: number;
}

/** New observations that match at the project's sensitivity. */
export interface Matched {
  count: number;
  /** Effective times. */
  firstAtMs: number;
  lastAtMs: number;
  lastReceivedAtMs: number;
}

/** A threshold that is reached, with what the record says of it. */
export interface DescribedFinding extends Finding {
  /** Effective times of the first and last observation in the window. */
  firstAtMs: number;
  lastAtMs: number;
  title: string;
  summary: string;
  evidence: Readonly<Record<string, unknown>>;
}

/**
 * Moves an improvement on by new observations (docs/contract/incidents.md 6.3); `finding` is what is in the window
 * after them.
 */
export function advanceImprovement(
  before: ImprovementState,
  matched: Matched,
  finding: DescribedFinding | null,
): ImprovementState {
  const state: ImprovementState = {
    ...before,
    occurrenceCount: before.occurrenceCount + matched.count,
    firstDetectedAtMs: Math.min(before.firstDetectedAtMs, matched.firstAtMs),
    lastDetectedAtMs: Math.max(before.lastDetectedAtMs, matched.lastAtMs),
    lastReceivedAtMs: Math.max(before.lastReceivedAtMs, matched.lastReceivedAtMs),
  };
  if (finding !== null) {
    state.severity = SEVERITIES.indexOf(finding.severity);
    state.confidencePercent = confidencePercent(finding);
    state.title = finding.title;
    state.summary = finding.summary;
    state.evidence = finding.evidence;
  }
  if (before.status === 'candidate' && finding !== null) {
    // Observations before the window are no part of the finding.
    state.occurrenceCount = finding.observed;
    state.firstDetectedAtMs = finding.firstAtMs;
    state.lastDetectedAtMs = finding.lastAtMs;
  }
  if ((before.status === 'candidate' || before.status === 'resolved') && finding !== null) {
    state.status = 'open';
    state.resolvedAtMs = null;
    state.episode = before.episode + 1;
  }
  if (before.snoozedUntilMs !== null && matched.lastReceivedAtMs > before.snoozedUntilMs) {
    state.status = 'open';
    state.snoozedUntilMs = null;
  }
  return state;
}

/** A person's change of an improvement; null when it is in that state already (docs/contract/incidents.md 6.3). */
export type ImprovementChange =
  | { kind: 'resolve' }
  | { kind: 'reopen' }
  | { kind: 'snooze'; untilMs: number };

export function changeImprovement(
  before: Pick<ImprovementState, 'status' | 'resolvedAtMs' | 'snoozedUntilMs'>,
  change: ImprovementChange,
  nowMs: number,
): Pick<ImprovementState, 'status' | 'resolvedAtMs' | 'snoozedUntilMs'> | null {
  switch (change.kind) {
    case 'resolve':
      if (before.status === 'resolved') return null;
      return { status: 'resolved', resolvedAtMs: nowMs, snoozedUntilMs: null };
    case 'reopen':
      if (before.status === 'open') return null;
      return { status: 'open', resolvedAtMs: null, snoozedUntilMs: null };
    case 'snooze':
      return { status: 'snoozed', resolvedAtMs: null, snoozedUntilMs: change.untilMs };
  }
}
