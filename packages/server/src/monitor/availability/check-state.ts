/** The state that follows from the runs of a check so far (docs/contract/account.md 7.4). */
export interface CheckState {
  status: 'unknown' | 'passing' | 'failing';
  consecutiveFailures: number;
  consecutiveSuccesses: number;
  /** A failure was reported to an incident, and the check did not recover since. */
  isReported: boolean;
}

export interface Thresholds {
  failureThreshold: number;
  recoveryThreshold: number;
}

/** The effect of a run on the incident: the failure is reported to it, or it is resolved. */
type CheckNews = 'failure' | 'recovery' | null;

/** Counts a run that said something. */
export function advanceCheck(
  before: CheckState,
  isSuccess: boolean,
  { failureThreshold, recoveryThreshold }: Thresholds,
): { state: CheckState; news: CheckNews } {
  return isSuccess ? succeed(before, recoveryThreshold) : fail(before, failureThreshold);
}

function fail(before: CheckState, threshold: number): { state: CheckState; news: CheckNews } {
  const consecutiveFailures = before.consecutiveFailures + 1;
  const isFailing = before.status === 'failing' || consecutiveFailures >= threshold;
  return {
    state: {
      status: isFailing ? 'failing' : before.status,
      consecutiveFailures,
      consecutiveSuccesses: 0,
      isReported: before.isReported || isFailing,
    },
    news: isFailing ? 'failure' : null,
  };
}

/**
 * Counts a success. A check that failed recovers at the threshold; one without evidence passes immediately. An incident
 * that was left open when the evidence was dropped, by a change or a pause, waits for the threshold all the same.
 */
function succeed(before: CheckState, threshold: number): { state: CheckState; news: CheckNews } {
  const consecutiveSuccesses = before.consecutiveSuccesses + 1;
  const hasRecovered = consecutiveSuccesses >= threshold;
  return {
    state: {
      status: before.status === 'failing' && !hasRecovered ? 'failing' : 'passing',
      consecutiveFailures: 0,
      consecutiveSuccesses,
      isReported: before.isReported && !hasRecovered,
    },
    news: before.isReported && hasRecovered ? 'recovery' : null,
  };
}
