export type IncidentStatus = 'open' | 'resolved' | 'regressed';

/** The moving part of an incident. Times in milliseconds since the epoch. */
export interface IncidentState {
  status: IncidentStatus;
  severity: number;
  firstSeenAtMs: number;
  lastSeenAtMs: number;
  occurrenceCount: number;
  resolvedAtMs: number | null;
  resolvedByUserId: string | null;
  regressedAtMs: number | null;
  statusChangedAtMs: number;
  newestReceivedAtMs: number;
}

/** The facts of a counted signal that the state machine reads. */
export interface Occurrence {
  effectiveAtMs: number;
  receivedAtMs: number;
  severity: number;
}

/** The changes of an incident while signals were counted (docs/contract/incidents.md 1.4). */
interface Advance {
  state: IncidentState;
  /** The signal that reopened it (T9). */
  regressedBy: Occurrence | null;
  isSeverityRaised: boolean;
}

/** The state of an incident that begins with this signal (T1). */
export function openIncident(first: Occurrence, nowMs: number): IncidentState {
  return {
    status: 'open',
    severity: first.severity,
    firstSeenAtMs: first.effectiveAtMs,
    lastSeenAtMs: first.effectiveAtMs,
    occurrenceCount: 1,
    resolvedAtMs: null,
    resolvedByUserId: null,
    regressedAtMs: null,
    statusChangedAtMs: nowMs,
    newestReceivedAtMs: first.receivedAtMs,
  };
}

/**
 * Counts signals in order (T2, T3, T9, T10, T13).
 * @param isKnownOlder whether a signal is of a release before the one in which the incident is resolved
 */
export function advanceIncident<Counted extends Occurrence>(
  before: IncidentState,
  occurrences: readonly Counted[],
  nowMs: number,
  isKnownOlder: (occurrence: Counted) => boolean = () => false,
): Advance & { regressedBy: Counted | null } {
  const state = { ...before };
  let regressedBy: Counted | null = null;
  for (const occurrence of occurrences) {
    state.occurrenceCount += 1;
    state.firstSeenAtMs = Math.min(state.firstSeenAtMs, occurrence.effectiveAtMs);
    state.lastSeenAtMs = Math.max(state.lastSeenAtMs, occurrence.effectiveAtMs);
    state.severity = Math.max(state.severity, occurrence.severity);
    state.newestReceivedAtMs = Math.max(state.newestReceivedAtMs, occurrence.receivedAtMs);
    // The server's receive time decides: a backlog must not undo a resolution (T10), client clocks are not trusted.
    const isLater = state.resolvedAtMs !== null && occurrence.receivedAtMs > state.resolvedAtMs;
    if (isLater && !isKnownOlder(occurrence)) {
      state.status = 'regressed';
      state.regressedAtMs = nowMs;
      state.statusChangedAtMs = nowMs;
      state.resolvedAtMs = null;
      state.resolvedByUserId = null;
      regressedBy = occurrence;
    }
  }
  return { state, regressedBy, isSeverityRaised: state.severity > before.severity };
}

/** A member resolves (T4 to T6). Null when nothing moves. */
export function resolveIncident(
  state: IncidentState,
  userId: string | null,
  nowMs: number,
): IncidentState | null {
  if (state.status === 'resolved') return null;
  return {
    ...state,
    status: 'resolved',
    resolvedAtMs: nowMs,
    resolvedByUserId: userId,
    statusChangedAtMs: nowMs,
  };
}

/** A member reopens (T7, T8). Null when nothing moves. */
export function reopenIncident(state: IncidentState, nowMs: number): IncidentState | null {
  if (state.status !== 'resolved') return null;
  return { ...state, status: 'open', resolvedAtMs: null, resolvedByUserId: null, statusChangedAtMs: nowMs };
}

/** Adds attributed suppressed duplicates: they count, and move `last_seen_at` only while active (5.10). */
export function addSuppressed(state: IncidentState, count: number, lastSeenMs: number): IncidentState {
  return {
    ...state,
    occurrenceCount: state.occurrenceCount + count,
    lastSeenAtMs: state.status === 'resolved' ? state.lastSeenAtMs : Math.max(state.lastSeenAtMs, lastSeenMs),
  };
}
