/** The lane of ledger rows that become alerts. */
export const ALERTS_LANE = 'alerts';

/** Job kind: finds the alert rules that some ledger rows of one project satisfy. */
export const EVALUATE_ALERTS = 'alerts.evaluate';

/**
 * Job kind: the same for the rules whose query asks for what is known once tags are counted. It runs some seconds later,
 * so that other rules do not wait.
 */
export const EVALUATE_LATE = 'alerts.evaluate-late';

/** The seconds after which tags are counted, even if they had to wait for those of other batches. */
export const LATE_SECONDS = 10;

/** Not a lane of jobs: the word by which the senders are woken, since messages are claimed as their own rows. */
export const ALERT_MESSAGES_WAKE = 'alert-messages';

/** Ledger kinds that can satisfy a rule (docs/contract/notifications.md 1.7). */
export const TRIGGERING_KINDS = [
  'incident.opened',
  'incident.regressed',
  'incident.spike_detected',
  'incident.threshold_reached',
  'incident.woke',
] as const;

/** With those that follow what a rule sent (docs/contract/notifications.md 1.20). */
export const ALERTING_KINDS = [...TRIGGERING_KINDS, 'incident.resolved', 'incident.assigned'] as const;
