/** The lane of ledger rows that become alerts. */
export const ALERTS_LANE = 'alerts';

/** Job kind: finds the alert rules that some ledger rows of one project satisfy. */
export const EVALUATE_ALERTS = 'alerts.evaluate';

/** Not a lane of jobs: the word by which the senders are woken, since messages are claimed as their own rows. */
export const ALERT_MESSAGES_WAKE = 'alert-messages';

/** Ledger kinds that can satisfy a rule (docs/contract/notifications.md 1.7). */
export const TRIGGERING_KINDS = [
  'incident.opened',
  'incident.regressed',
  'incident.spike_detected',
  'incident.threshold_reached',
] as const;

/** With those that follow what a rule sent (docs/contract/notifications.md 1.20). */
export const ALERTING_KINDS = [...TRIGGERING_KINDS, 'incident.resolved', 'incident.assigned'] as const;
