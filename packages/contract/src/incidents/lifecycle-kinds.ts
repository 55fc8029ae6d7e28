/** The kinds of ledger entries about incidents and their bundles. */
export const INCIDENT_LIFECYCLE_KINDS = [
  'incident.opened',
  'incident.regressed',
  'incident.resolved',
  'incident.reopened',
  'incident.spike_detected',
  'incident.threshold_reached',
  'incident.severity_raised',
  'incident.merged',
  'incident.split',
  'incident.assigned',
  'incident.unassigned',
  'incident.prioritized',
  'incident.snoozed',
  'incident.woke',
  'incident.noted',
  'incident.fix_proposed',
  'incident.linked',
  'incident.unlinked',
  'incident.link_state_changed',
  'incident.remapped',
  'incident.seen_in_old_release',
  'bundle.created',
  'bundle.updated',
] as const;

/** Every word of the ledger; webhooks, alerts, histories and feeds are readings of it. */
export const LIFECYCLE_KINDS = [...INCIDENT_LIFECYCLE_KINDS, 'improvement_bundle.created'] as const;
export type LifecycleKind = (typeof LIFECYCLE_KINDS)[number];
