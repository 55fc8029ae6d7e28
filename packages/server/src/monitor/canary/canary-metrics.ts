import { counter, gauge, histogram } from '../../platform/metrics/metric-kinds.ts';

/** The last step that an event of the canary reached. */
export type CanaryStep = 'intake' | 'incident' | 'webhook';

const last = gauge({
  name: 'culprit_canary_seconds',
  help: 'How long the last event of the canary took from its receipt to its incident and to its webhook.',
  labelNames: ['to'],
});
const all = histogram({
  name: 'culprit_canary_run_seconds',
  help: 'How long the events of the canary took from their receipt to their incident and to their webhook.',
  labelNames: ['to'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
});
const failures = counter({
  name: 'culprit_canary_failures_total',
  help: 'Events of the canary that did not arrive in time, by the step that was missing.',
  labelNames: ['step'],
});
for (const step of ['intake', 'incident', 'webhook']) failures.inc({ step }, 0);

/** Notes an event that arrived. */
export function recordArrival(to: 'incident' | 'webhook', seconds: number): void {
  last.set({ to }, seconds);
  all.observe({ to }, seconds);
}

/** Counts an event that did not. */
export function countMissing(step: CanaryStep): void {
  failures.inc({ step });
}
