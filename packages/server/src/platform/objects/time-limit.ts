import { ObjectStoreUnavailableError } from './object-store.ts';

export interface TimeLimit {
  /** Throws when the caller received the time-out, so that late work stops and cleans up. */
  assertNotOver(): void;
  /** Aborted at the same moment. */
  signal: AbortSignal;
  /** Milliseconds until then. */
  leftMs(): number;
}

/** Runs work, and rejects with ObjectStoreUnavailableError `timeout` when it takes longer. */
export async function withTimeLimit<T>(
  doing: string,
  timeoutMs: number,
  work: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const abort = new AbortController();
  const endsAtMs = performance.now() + timeoutMs;
  const timer = setTimeout(() => {
    timeout.reject(new ObjectStoreUnavailableError(doing, 'timeout'));
    abort.abort();
  }, timeoutMs);
  const running = work({
    assertNotOver() {
      if (abort.signal.aborted) throw new Error('finished too late');
    },
    signal: abort.signal,
    leftMs: () => endsAtMs - performance.now(),
  });
  // After the time-out nothing handles the work's result.
  running.catch(() => {});
  try {
    return await Promise.race([running, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
