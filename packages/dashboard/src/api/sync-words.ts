import type { AssigneeSync, TicketComments, WontFixEffect } from '@culprit/contract/alerts/tracker-words';

/** The words for what crosses between incidents and tickets, for a tracker and for one ticket. */

export const WONT_FIX_WORDS: Readonly<Record<WontFixEffect, string>> = {
  snooze: 'snoozes the incident for 90 days',
  resolve: 'resolves the incident',
  nothing: 'changes nothing',
};

export const ASSIGNEE_WORDS: Readonly<Record<AssigneeSync, string>> = {
  none: 'is not synchronized',
  to_tracker: 'is sent to the ticket',
  from_tracker: 'is taken from the ticket',
};

export const COMMENT_WORDS: Readonly<Record<TicketComments, string>> = {
  regressed: 'A comment says when the incident happens again',
  spike: 'A comment says when the incident spikes',
  fix: 'A comment names each proposed fix',
  unlinked: 'A comment says when the ticket is unlinked',
};
