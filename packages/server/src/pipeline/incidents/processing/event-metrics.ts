import { counter, histogram } from '../../../platform/metrics/metric-kinds.ts';

/** The outcomes of events, as counted by this thread (architecture: the way of an event). */

const FATES = [
  ...['submitted', 'processed', 'demoted', 'duplicate', 'dropped', 'sampled_out', 'refused_by_policy'],
  ...['rate_limited', 'invalid', 'dead_letter'],
] as const;

const accepted = counter({
  name: 'culprit_events_accepted_total',
  help: 'Events that were answered 202 and stored to be processed.',
});
const fates = counter({
  name: 'culprit_event_fates_total',
  help: 'Events by outcome; submitted is the sum of the others once nothing waits.',
  labelNames: ['fate'],
});
for (const fate of FATES) fates.inc({ fate }, 0);

const lag = histogram({
  name: 'culprit_event_to_incident_seconds',
  help: 'From the receipt of a batch of events to the commit that counted it, by the database clock.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
});

/** Counts events that were stored and answered. */
export function countAccepted(events: number): void {
  accepted.inc(events);
}

/** Counts events whose outcome was committed. */
export function countFate(fate: (typeof FATES)[number], events: number): void {
  fates.inc({ fate }, events);
}

/** Notes how long a batch waited to be counted. */
export function recordLag(receivedAtMs: number, committedAtMs: number): void {
  lag.observe(Math.max(0, committedAtMs - receivedAtMs) / 1000);
}
