import { createHistogram } from 'node:perf_hooks';
import Gauge from 'prom-client/lib/gauge.js';
import { metrics } from './metrics.ts';

/** A shorter interval would wake an idle process fifty times a second, which costs more than all its other work. */
const SAMPLE_INTERVAL_MS = 1000;

/**
 * Starts to measure how late the event loop of this process is since the metrics were last read, under the names that
 * every Prometheus client uses. The package's own measurement has a shorter interval.
 */
export function startLoopDelayMetrics(): void {
  const delays = createHistogram();
  let dueMs = performance.now() + SAMPLE_INTERVAL_MS;
  setInterval(() => {
    const nowMs = performance.now();
    // A histogram counts whole nanoseconds from one.
    delays.record(Math.max(1, Math.round((nowMs - dueMs) * 1e6)));
    dueMs = nowMs + SAMPLE_INTERVAL_MS;
  }, SAMPLE_INTERVAL_MS).unref();

  // Collected in the order in which they are made: the first reads for all of them.
  new Gauge({
    name: 'nodejs_eventloop_lag_max_seconds',
    help: 'The maximum of the recorded event loop delays.',
    registers: [metrics],
    collect() {
      if (delays.count === 0) return;
      this.set(delays.max / 1e9);
      mean.set(delays.mean / 1e9);
      p50.set(delays.percentile(50) / 1e9);
      p99.set(delays.percentile(99) / 1e9);
      delays.reset();
    },
  });
  const mean = lagGauge('mean', 'mean');
  const p50 = lagGauge('p50', '50th percentile');
  const p99 = lagGauge('p99', '99th percentile');
}

function lagGauge(name: string, words: string): Gauge {
  return new Gauge({
    name: `nodejs_eventloop_lag_${name}_seconds`,
    help: `The ${words} of the recorded event loop delays.`,
    registers: [metrics],
  });
}
