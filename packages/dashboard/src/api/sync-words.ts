import type { AssigneeSync, TicketComments, WontFixEffect } from '@culprit/contract/alerts/tracker-words';

/** The words for the synchronization of incidents and tickets, of a tracker and of one ticket. */

export const WONT_FIX_WORDS: Readonly<Record<WontFixEffect, string>> = {
  snooze: 'Snooze the incident for 90 days',
  resolve: 'Resolve the incident',
  nothing: 'Change nothing',
};

export const ASSIGNEE_WORDS: Readonly<Record<AssigneeSync, string>> = {
  none: 'Not synchronized',
  to_tracker: 'Incident to ticket',
  from_tracker: 'Ticket to incident',
};

export const COMMENT_WORDS: Readonly<Record<TicketComments, string>> = {
  regressed: 'Add a comment when the incident happens again',
  spike: 'Add a comment when the incident spikes',
  fix: 'Add a comment for each proposed fix',
  unlinked: 'Add a comment when the ticket is unlinked',
};
