import type { Query } from '@tanstack/react-query';
import { createSignal } from '../ui/signal.ts';

/**
 * The time for which data counts as fresh, and the interval of requests for it while it is shown, without and with the
 * stream of changes (docs/contract/dashboard.md 2.7).
 */
const FRESHNESS = {
  incidents: { staleTime: 5_000, everyMs: 15_000, everyLiveMs: 120_000 },
  fates: { staleTime: 2_000, everyMs: 15_000, everyLiveMs: 120_000 },
  incident: { staleTime: 5_000, everyMs: 15_000, everyLiveMs: 120_000 },
  projects: { staleTime: 5_000, everyMs: 60_000, everyLiveMs: 180_000 },
  bundle: { staleTime: 15_000, everyMs: null, everyLiveMs: null },
  checks: { staleTime: 5_000, everyMs: 15_000, everyLiveMs: 120_000 },
  probes: { staleTime: 2_000, everyMs: 5_000, everyLiveMs: 5_000 },
  deliveries: { staleTime: 2_000, everyMs: 30_000, everyLiveMs: 30_000 },
  settings: { staleTime: 30_000, everyMs: null, everyLiveMs: null },
  operator: { staleTime: 0, everyMs: 5_000, everyLiveMs: 5_000 },
  days: { staleTime: 60_000, everyMs: 120_000, everyLiveMs: 300_000 },
  services: { staleTime: 30_000, everyMs: 60_000, everyLiveMs: 120_000 },
  tail: { staleTime: 0, everyMs: 2_000, everyLiveMs: 2_000 },
} as const;

/** True while this browser receives changes as they happen. */
export const isLive = createSignal(false);

const JITTER = 0.1;
const PAUSE_MAX_MS = 60_000;

/** Returns the settings of a query. Failures double the pause, and a success resets it. */
export function freshness(kind: keyof typeof FRESHNESS) {
  const { staleTime, everyMs, everyLiveMs } = FRESHNESS[kind];
  return {
    staleTime,
    refetchInterval: (query: { state: Query['state'] }): number | false => {
      const pauseMs = isLive.get() ? everyLiveMs : everyMs;
      return pauseMs === null ? false : pauseAfter(pauseMs, query.state.fetchFailureCount);
    },
  };
}

const WAITING = new Set(['pending', 'retrying']);
const WAITING_EVERY_MS = 3000;

/** Returns the same as `freshness('deliveries')`, but shorter pauses while one of the shown deliveries is under way. */
export function deliveryFreshness<Data>(deliveriesOf: (data: Data) => readonly { status: string }[]) {
  const { staleTime, everyMs } = FRESHNESS.deliveries;
  return {
    staleTime,
    refetchInterval: ({
      state,
    }: {
      state: { data: Data | undefined; fetchFailureCount: number };
    }): number => {
      const shown = state.data === undefined ? [] : deliveriesOf(state.data);
      const isWaiting = shown.some(({ status }) => WAITING.has(status));
      return pauseAfter(isWaiting ? WAITING_EVERY_MS : everyMs, state.fetchFailureCount);
    },
  };
}

/** The pause before the next read: longer after failures, and never quite the same for two tabs. */
export function pauseAfter(everyMs: number, failures: number, random: () => number = Math.random): number {
  const pause = Math.max(everyMs, Math.min(PAUSE_MAX_MS, everyMs * 2 ** failures));
  return Math.round(pause * (1 - JITTER + 2 * JITTER * random()));
}

/** While a document is being made: quickly at first, then at most every five seconds. */
export function pauseWhilePending(readsSoFar: number): number {
  return [1000, 1000, 2000, 3000][readsSoFar] ?? 5000;
}
