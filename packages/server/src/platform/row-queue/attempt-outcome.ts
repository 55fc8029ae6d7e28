import type { GuardedResult } from '../outbound/send-guarded.ts';
import type { LatencyClass } from './claim-statement.ts';

/** The outcome of an attempt. */
export interface AttemptOutcome {
  /** A word of `last_error` (docs/contract/notifications.md 3.8). Null: success. */
  error: string | null;
  /** The HTTP status; null when no response came. */
  responseCode: number | null;
  /** Another attempt would end just the same. */
  isFinal: boolean;
  latencyClass: Exclude<LatencyClass, 'unknown'>;
  /** The wait that a receiver requests with a temporary refusal, in seconds. */
  askedWaitSeconds?: number;
}

/**
 * Limits of one request to a receiver (docs/contract/notifications.md 3.11): name look-up to response headers, and its
 * body.
 */
export const RECEIVER_LIMITS = { timeoutMs: 10_000, bodyBytesMax: 16_384 } as const;

/** Attempts that take longer hold a place that others could use: their receiver gets fewer. */
const QUICK_MS = 1000;

/** Returns the word for the duration of an attempt. */
export function latencyClassOf(durationMs: number): AttemptOutcome['latencyClass'] {
  return durationMs < QUICK_MS ? 'quick' : 'slow';
}

/** The outcome of a request: a 2xx is success, and repeating a refused target would only be probing. */
export function requestOutcome(result: GuardedResult): AttemptOutcome {
  const latencyClass = latencyClassOf(result.durationMs);
  if (result.kind === 'failed') {
    return {
      error: result.word,
      responseCode: null,
      isFinal: result.word === 'target_blocked',
      latencyClass,
    };
  }
  const { status } = result;
  const isSuccess = status >= 200 && status <= 299;
  const { retryAfterSeconds } = result.limits;
  return {
    error: isSuccess ? null : `http_${status}`,
    responseCode: status,
    isFinal: false,
    latencyClass,
    ...(isSuccess || retryAfterSeconds === null ? {} : { askedWaitSeconds: retryAfterSeconds }),
  };
}

/** The outcome of an attempt that went wrong on our side. */
export const FAILED_HERE: AttemptOutcome = {
  error: 'internal_error',
  responseCode: null,
  isFinal: false,
  latencyClass: 'quick',
};
