import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What one class of requests may hold at once in this process (reliability rule A6). */
export interface Budget {
  /** Counts a request in; false when the class is full. */
  enter(): boolean;
  leave(): void;
  /** Counts body bytes in as they arrive; false when the class is full, and then nothing is counted. */
  takeBytes(sizeBytes: number): boolean;
  giveBytes(sizeBytes: number): void;
  readonly requestsInFlight: number;
  readonly bytesInFlight: number;
}

export interface BudgetLimits {
  requestsMax: number;
  bytesMax: number;
}

export interface LoadLimits {
  /** Events have their own budget, so that a flood of them leaves reads and sign-in alone. */
  readonly ingestion: Budget;
  readonly management: Budget;
  /** True while the event loop has been late without pause for the whole span. */
  isLoopLate(): boolean;
  stop(): void;
}

export interface LoadLimitsOptions {
  ingestion: BudgetLimits;
  management: BudgetLimits;
  loopDelayMaxMs: number;
  loopDelaySpanMs: number;
}

const SAMPLE_INTERVAL_MS = 250;
const HISTOGRAM_RESOLUTION_MS = 20;

/** Starts watching the event loop and makes the budgets of this process. */
export function startLoadLimits(options: LoadLimitsOptions): LoadLimits {
  const histogram = monitorEventLoopDelay({ resolution: HISTOGRAM_RESOLUTION_MS });
  histogram.enable();
  const lateness = createLateness(options.loopDelayMaxMs, options.loopDelaySpanMs);
  const timer = setInterval(() => {
    // The histogram holds the distance of its ticks, so an idle loop shows the resolution. Without a tick since the
    // last look the loop was blocked from then to now, which the next sample shows.
    if (histogram.count > 0) lateness.add(histogram.mean / 1e6 - HISTOGRAM_RESOLUTION_MS, performance.now());
    histogram.reset();
  }, SAMPLE_INTERVAL_MS);
  timer.unref();

  return {
    ingestion: createBudget(options.ingestion),
    management: createBudget(options.management),
    isLoopLate: () => lateness.isLate(performance.now()),
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

export function createBudget(limits: BudgetLimits): Budget {
  let requests = 0;
  let bytes = 0;
  return {
    enter() {
      if (requests >= limits.requestsMax) return false;
      requests += 1;
      return true;
    },
    leave() {
      requests -= 1;
    },
    takeBytes(sizeBytes) {
      if (bytes + sizeBytes > limits.bytesMax) return false;
      bytes += sizeBytes;
      return true;
    },
    giveBytes(sizeBytes) {
      bytes -= sizeBytes;
    },
    get requestsInFlight() {
      return requests;
    },
    get bytesInFlight() {
      return bytes;
    },
  };
}

export interface Lateness {
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
