/** The lane of ledger rows after which tickets may have to follow. */
export const TICKETS_LANE = 'tickets';

/** The job kind that makes the trackers of incidents due that some ledger rows of one project name. */
export const FOLLOW_INCIDENTS = 'tickets.follow';

/** Not a lane of jobs: the word by which those who work on trackers are woken, since trackers are claimed as their rows. */
export const TRACKERS_WAKE = 'trackers';

/** Ledger kinds that move a ticket (docs/contract/team-workflow.md 7.4). */
export const FOLLOWED_KINDS = ['incident.resolved', 'incident.regressed', 'incident.reopened'] as const;
