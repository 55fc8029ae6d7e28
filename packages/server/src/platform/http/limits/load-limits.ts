import { monitorEventLoopDelay } from 'node:perf_hooks';
import { addressShare, type Budget, type BudgetLimits, createBudget, tenantShare } from './budget.ts';
import { createLoopScheduler, type LoopScheduler } from './loop-scheduler.ts';
import { createPendingAnswers, type PendingAnswers } from './pending-answers.ts';

export interface LoadLimits {
  /** Events have their own budget, so that a flood of them leaves reads and sign-in alone. */
  readonly ingestion: Budget;
  readonly management: Budget;
  readonly uploads: Budget;
  /** Credentials that are judged while the bodies of their requests are still on their way. */
  readonly earlyChecks: Budget;
  readonly answers: PendingAnswers;
  readonly loop: LoopScheduler;
  /** True while the event loop has been late without pause for the whole span. */
  /** Asked for every request. */
  isLoopLate(): boolean;
  stop(): void;
}

interface LoadLimitsOptions {
  ingestion: BudgetLimits;
  management: BudgetLimits;
  uploads: BudgetLimits;
  pendingAnswerBytesMax: number;
  loopDelayMaxMs: number;
  loopDelaySpanMs: number;
}

/** Few, because their statements wait in one line with those of requests that are there as a whole. */
const EARLY_CHECKS_MAX = 32;
const SAMPLE_INTERVAL_MS = 250;
const HISTOGRAM_RESOLUTION_MS = 20;
/**
 * The watch costs fifty wake-ups a second, which an idle server avoids: it starts with a second request within this
 * time and ends when none arrived for it. The time is longer than the span after which a loop counts as late.
 */
const WATCH_AFTER_REQUEST_MS = 4000;

/** Makes the budgets of this process. The event loop is watched while requests come. */
export function startLoadLimits(options: LoadLimitsOptions): LoadLimits {
  const histogram = monitorEventLoopDelay({ resolution: HISTOGRAM_RESOLUTION_MS });
  const lateness = createLateness(options.loopDelayMaxMs, options.loopDelaySpanMs);
  let timer: NodeJS.Timeout | null = null;
  let watchedUntilMs = 0;
  let askedAtMs = Number.NEGATIVE_INFINITY;

  function sample(): void {
    // The histogram holds the distance of its ticks, so an idle loop shows the resolution. Without a tick since the
    // last look the loop was blocked from then to now, which the next sample shows.
    if (histogram.count > 0) lateness.add(histogram.mean / 1e6 - HISTOGRAM_RESOLUTION_MS, performance.now());
    histogram.reset();
    if (performance.now() > watchedUntilMs) stopWatching();
  }

  function watch(): void {
    watchedUntilMs = performance.now() + WATCH_AFTER_REQUEST_MS;
    if (timer !== null) return;
    histogram.reset();
    histogram.enable();
    timer = setInterval(sample, SAMPLE_INTERVAL_MS);
    timer.unref();
  }

  function stopWatching(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
    histogram.disable();
  }

  const ingestion = createBudget(options.ingestion, tenantShare);
  const management = createBudget(options.management, addressShare);

  return {
    ingestion,
    management,
    uploads: createBudget(options.uploads, addressShare),
    earlyChecks: createBudget({ requestsMax: EARLY_CHECKS_MAX, bytesMax: 0 }, addressShare),
    answers: createPendingAnswers(options.pendingAnswerBytesMax),
    loop: createLoopScheduler({
      requestsInFlight: () => ingestion.requestsInFlight + management.requestsInFlight,
    }),
    isLoopLate() {
      const nowMs = performance.now();
      if (nowMs - askedAtMs < WATCH_AFTER_REQUEST_MS) watch();
      askedAtMs = nowMs;
      return lateness.isLate(nowMs);
    },
    stop: stopWatching,
  };
}

interface Lateness {
  add(delayMs: number, nowMs: number): void;
  isLate(nowMs: number): boolean;
}

/** A loop that stops being sampled is not called late for ever: a stale verdict lapses after this many spans. */
const STALE_SPANS = 2;

/** Late once every sample of the last `spanMs` lay above `delayMaxMs`; one good sample ends it. */
export function createLateness(delayMaxMs: number, spanMs: number): Lateness {
  let lateSinceMs: number | null = null;
  let lastSampleMs = Number.NEGATIVE_INFINITY;
  return {
    add(delayMs, nowMs) {
      if (delayMs <= delayMaxMs) lateSinceMs = null;
      else if (lateSinceMs === null) lateSinceMs = nowMs;
      lastSampleMs = nowMs;
    },
    isLate(nowMs) {
      if (lateSinceMs === null || nowMs - lastSampleMs > STALE_SPANS * spanMs) return false;
      return lastSampleMs - lateSinceMs >= spanMs;
    },
  };
}
