/** The lane of ledger rows after which tickets may have to follow. */
export const TICKETS_LANE = 'tickets';

/** The job kind that makes the trackers of incidents due that some ledger rows of one project name. */
export const FOLLOW_INCIDENTS = 'tickets.follow';

/** Not a lane of jobs: the word by which those who work on trackers are woken, since trackers are claimed as their rows. */
export const TRACKERS_WAKE = 'trackers';

/** Ledger kinds after which the person of a ticket may have to follow. */
export const ASSIGNEE_KINDS = ['incident.assigned', 'incident.unassigned'] as const;
/** The one after which a ticket may get a comment. */
export const NOTE_KIND = 'incident.noted';
/** Those that a comment says, by their words in the settings. */
export const SAID_KINDS = { 'incident.spike_detected': 'spike', 'incident.fix_proposed': 'fix' } as const;
/** Ledger kinds after which a ticket may have to follow (docs/contract/team-workflow.md 7.4). */
export const FOLLOWED_KINDS = [
  'incident.resolved',
  'incident.regressed',
  'incident.reopened',
  ...ASSIGNEE_KINDS,
  NOTE_KIND,
  'incident.spike_detected',
  'incident.fix_proposed',
] as const;
