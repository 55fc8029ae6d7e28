/** What a webhook can subscribe to, in the order of answers (notifications.md 3.9). */
export const WEBHOOK_EVENTS = [
  'bundle.created',
  'bundle.updated',
  'bundle.resolved',
  'bundle.reopened',
  'improvement_bundle.created',
  'incident.spike_detected',
  'verification.passed',
  'verification.failed',
] as const;
