/** The lane of ledger rows that become deliveries. */
export const WEBHOOKS_LANE = 'webhooks';

/** Job kind: makes the deliveries of some ledger rows of one project. */
export const FAN_OUT = 'webhooks.fan-out';

/**
 * Not a lane of jobs: the word by which the delivery engine is woken, since deliveries are claimed as their own rows.
 */
export const DELIVERIES_WAKE = 'webhook-deliveries';

/** Ledger kinds that webhooks can be notified of (docs/contract/incidents.md 1.5). */
export const NOTIFIABLE_KINDS = [
  'bundle.created',
  'bundle.updated',
  'incident.resolved',
  'incident.reopened',
  'incident.regressed',
  'incident.spike_detected',
  'incident.assigned',
  'incident.unassigned',
  'incident.snoozed',
  'incident.woke',
  'incident.noted',
  'incident.fix_proposed',
  'incident.linked',
  'incident.link_state_changed',
  'incident.unlinked',
  'improvement_bundle.created',
] as const;
