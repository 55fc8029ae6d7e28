/** The events to which a webhook can subscribe, in the order of answers (docs/contract/notifications.md 3.9). */
export const WEBHOOK_EVENTS = [
  'bundle.created',
  'bundle.updated',
  'bundle.resolved',
  'bundle.reopened',
  'improvement_bundle.created',
  'incident.spike_detected',
  'incident.assigned',
  'incident.snoozed',
  'incident.woke',
  'incident.noted',
  'incident.fix_proposed',
  'incident.linked',
  'incident.link_state_changed',
  'incident.unlinked',
  'verification.passed',
  'verification.failed',
] as const;
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

/** Characters of `summary`. */
export const WEBHOOK_SUMMARY_LENGTH_MAX = 300;
