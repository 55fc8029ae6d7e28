import { histogram } from '../platform/metrics/metric-kinds.ts';

/**
 * From the receipt of the first event of an incident to the delivery of its `bundle.created`, by the database clock.
 * First attempts only: what comes later measures the receiver.
 */
export const eventToWebhookSeconds = histogram({
  name: 'culprit_event_to_webhook_seconds',
  help: 'From the receipt of the first event of an incident to its bundle.created webhook, at the first attempt.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
});
