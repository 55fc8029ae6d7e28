import type { GuardedResult } from '../outbound/send-guarded.ts';
import type { Pace } from './claim-statement.ts';

/** What came of an attempt. */
export interface AttemptOutcome {
  /** A word of `last_error` (notifications.md 3.8). Null: success. */
  error: string | null;
  /** The HTTP status; null when no response came. */
  responseCode: number | null;
  /** Another attempt would end just the same. */
  isFinal: boolean;
  pace: Exclude<Pace, 'unknown'>;
}

/** Limits of one request to a receiver (notifications.md 3.11): name look-up to response headers, and its body. */
export const RECEIVER_LIMITS = { timeoutMs: 10_000, bodyBytesMax: 16_384 } as const;

/** Attempts that take longer hold a place that others could use: their receiver gets fewer. */
const QUICK_MS = 1000;

/** How long an attempt took, in words. */
export function paceOf(durationMs: number): AttemptOutcome['pace'] {
  return durationMs < QUICK_MS ? 'quick' : 'slow';
}

/** The outcome of a request: a 2xx is success, and repeating a refused target would only be probing. */
export function requestOutcome(result: GuardedResult): AttemptOutcome {
  const pace = paceOf(result.durationMs);
  if (result.kind === 'failed') {
    return { error: result.word, responseCode: null, isFinal: result.word === 'target_blocked', pace };
  }
  const { status } = result;
  const isSuccess = status >= 200 && status <= 299;
  return { error: isSuccess ? null : `http_${status}`, responseCode: status, isFinal: false, pace };
}

/** The outcome of an attempt that went wrong on our side. */
export const FAILED_HERE: AttemptOutcome = {
  error: 'internal_error',
  responseCode: null,
  isFinal: false,
  pace: 'quick',
};
