/** Requests of a key in a minute whose reports are looked at (docs/contract/foreign-protocols.md 3.8). */
const REQUESTS_MAX = 60;
const WINDOW_MS = 60_000;
/** The number of keys that are counted. */
const KEYS_MAX = 10_000;

/** Reports have a budget of their own: a broken policy in a page must not use up the room of errors. */
export interface ReportBudget {
  /** Returns true if one more request of a key is processed. */
  take(tokenId: string, nowMs: number): boolean;
}

export function createReportBudget(): ReportBudget {
  const windows = new Map<string, { endMs: number; requests: number }>();
  return {
    take(tokenId, nowMs) {
      let window = windows.get(tokenId);
      if (window === undefined || window.endMs <= nowMs) {
        // The oldest one is that of the key that began first.
        windows.delete(tokenId);
        const [oldest] = windows.keys();
        if (windows.size >= KEYS_MAX && oldest !== undefined) windows.delete(oldest);
        window = { endMs: nowMs + WINDOW_MS, requests: 0 };
        windows.set(tokenId, window);
      }
      window.requests += 1;
      return window.requests <= REQUESTS_MAX;
    },
  };
}
