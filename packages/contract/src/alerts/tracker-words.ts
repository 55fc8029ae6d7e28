/** The products whose tickets incidents can have (docs/contract/team-workflow.md 7). */
export const TRACKER_KINDS = ['github', 'jira', 'gitlab', 'linear', 'generic'] as const;
export type TrackerKind = (typeof TRACKER_KINDS)[number];

/** The name of a kind for people, its public address, and the place in which its tickets are created. */
export const TRACKER_FACTS: Readonly<
  Record<TrackerKind, { name: string; baseUrl: string | null; target: string; example: string }>
> = {
  github: {
    name: 'GitHub Issues',
    baseUrl: 'https://api.github.com',
    target: 'Repository',
    example: 'acme/shop',
  },
  jira: { name: 'Jira', baseUrl: null, target: 'Project key', example: 'ENG' },
  gitlab: { name: 'GitLab', baseUrl: 'https://gitlab.com', target: 'Project path', example: 'acme/shop' },
  linear: { name: 'Linear', baseUrl: 'https://api.linear.app', target: 'Team key', example: 'ENG' },
  generic: { name: 'Custom tracker', baseUrl: null, target: 'Queue', example: 'support' },
};

/** The effects on its incident of a ticket that its people closed as not to be fixed. */
export const WONT_FIX_EFFECTS = ['snooze', 'resolve', 'nothing'] as const;
export type WontFixEffect = (typeof WONT_FIX_EFFECTS)[number];

/** The direction in which the assignee crosses between an incident and its ticket. */
export const ASSIGNEE_SYNCS = ['none', 'to_tracker', 'from_tracker'] as const;
export type AssigneeSync = (typeof ASSIGNEE_SYNCS)[number];

/** The events of an incident, beside its status, that comments of its ticket report. */
export const TICKET_COMMENTS = ['regressed', 'spike', 'fix', 'unlinked'] as const;
export type TicketComments = (typeof TICKET_COMMENTS)[number];

/** The names of what crosses between an incident and its ticket. */
export const LINK_SYNC_FIELDS = [
  'close_on_resolve',
  'reopen_on_regress',
  'resolve_on_close',
  'wont_fix',
  'assignee',
  'comments',
  'notes',
] as const;

/**
 * `pending`: not created yet; `failed`: the tracker refused to create it; `gone`: deleted there.
 * A bare address is always `open`.
 */
export const LINK_STATES = ['pending', 'open', 'closed', 'gone', 'failed'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** Trackers of a project. */
export const TRACKERS_MAX = 20;
/** Fields of new tickets that people set at a tracker. */
export const EXTRA_FIELDS_MAX = 20;
/** Places for tickets that one list offers, and types of tickets. */
export const TRACKER_TARGETS_MAX = 50;
/** Tickets that one search finds. */
export const FOUND_TICKETS_MAX = 10;
export const TICKET_SEARCH_LENGTH_MAX = 100;
/** Labels and priorities that one list offers, and labels of a new ticket. */
export const TICKET_CHOICES_MAX = 100;
export const TICKET_LABELS_MAX = 20;
/** Links of an incident. */
export const LINKS_MAX = 20;
/** Links that the record of an incident shows. */
export const LINKS_SHOWN = 3;
export const TICKET_TITLE_LENGTH_MAX = 200;
/** Bytes of a notification by a tracker. */
export const TRACKER_HOOK_BYTES_MAX = 1_048_576;
