/** The lane of ledger rows that become deliveries. */
export const WEBHOOKS_LANE = 'webhooks';

/** Job kind: makes the deliveries of some ledger rows of one project. */
export const FAN_OUT = 'webhooks.fan-out';

/** Not a lane of jobs: the word by which the delivery engine is woken, since deliveries are claimed as their own rows. */
export const DELIVERIES_WAKE = 'webhook-deliveries';

/** Waits after failed attempts. Only the database can fail here, so nothing is ever given up. */
export const FAN_OUT_LADDER_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;

/** Ledger kinds of which webhooks can be told (incidents.md 1.5). */
export const TOLD_KINDS = [
  'bundle.created',
  'bundle.updated',
  'incident.resolved',
  'incident.reopened',
  'incident.regressed',
  'incident.spike_detected',
  'improvement_bundle.created',
] as const;
