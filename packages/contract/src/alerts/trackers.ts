import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import {
  ASSIGNEE_SYNCS,
  EXTRA_FIELDS_MAX,
  FOUND_TICKETS_MAX,
  TICKET_CHOICES_MAX,
  TICKET_SEARCH_LENGTH_MAX,
  TRACKER_KINDS,
  TRACKER_TARGETS_MAX,
  TRACKERS_MAX,
  WONT_FIX_EFFECTS,
} from './tracker-words.ts';

/** The parts of a status that are synchronized between incidents and tickets. */
export const SYNC_FIELDS = {
  close_on_resolve: Type.Boolean({ description: 'A resolved incident closes its ticket' }),
  reopen_on_regress: Type.Boolean({ description: 'An incident that is active again reopens its ticket' }),
  resolve_on_close: Type.Boolean({
    description: 'A closed ticket resolves its incident, and a reopened one reopens it',
  }),
  wont_fix: Type.Enum([...WONT_FIX_EFFECTS], {
    description: 'Effect of closing a ticket as not planned on its incident; `snooze` lasts 90 days',
  }),
  sync_assignee: Type.Enum([...ASSIGNEE_SYNCS], {
    description:
      '`to_tracker`: the ticket gets the person who has the incident; `from_tracker`: the incident gets the person who has the ticket',
  }),
  sync_notes: Type.Boolean({
    description: 'New notes become comments of the ticket, and its new comments become notes',
  }),
};

const ExtraField = Closed({
  id: Type.String({
    maxLength: 60,
    pattern: '^[A-Za-z][A-Za-z0-9_]*$',
    description: 'As Jira names it, such as `customfield_10042` or `components`',
  }),
  value: Type.String({
    minLength: 1,
    maxLength: 1000,
    pattern: '^[^\\x00-\\x1f]+$',
    description: 'JSON for Jira, such as `{"value":"Web"}`; anything else is sent as text',
  }),
});

/** A connection of a project to an issue tracker (docs/contract/team-workflow.md 7.1). The token is no part of it. */
export const Tracker = Named('Tracker', {
  tracker_id: AnswerId(null),
  project_id: AnswerId('proj'),
  kind: Type.Enum([...TRACKER_KINDS]),
  name: Type.String(),
  base_url: Type.String({ description: 'Base address of the API' }),
  target: Type.String({
    description:
      'Where tickets are created: a repository, the key or path of a project, the key of a team, the name of a queue',
  }),
  user: Nullable(
    Type.String({
      description:
        'Jira Cloud: the address that belongs to the token; GitHub: the ID of the App, for a private key',
    }),
  ),
  issue_type: Nullable(Type.String({ description: 'Jira: issue type of new tickets' })),
  extra_fields: Type.Array(ExtraField, {
    maxItems: EXTRA_FIELDS_MAX,
    description: 'Jira: fields of new tickets that the project requires',
  }),
  ...SYNC_FIELDS,
  account: Nullable(Type.String({ description: 'Owner of the token, from the latest test' })),
  hook: Closed({
    state: Type.Enum(['none', 'waiting', 'receiving'], {
      description: '`receiving`: a notification came within 24 hours, and the tracker is rarely polled',
    }),
    last_received_at: Nullable(Timestamp),
  }),
  is_stopped: Type.Boolean({
    description: 'The tracker refused the token; no requests are sent until a test succeeds',
  }),
  last_error: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Tracker = Static<typeof Tracker>;

const Name = Type.String({ minLength: 1, maxLength: 80, pattern: '\\S' });
const Token = Type.String({
  minLength: 1,
  maxLength: 8000,
  pattern: '^(?:[\\x21-\\x7e]{1,1000}|-----BEGIN [A-Za-z0-9+/=\\s-]+)$',
  description:
    'Token of the tracker; `github`: also the private key (PEM) of an App; `generic`: the shared secret that signs requests in both directions. Encrypted and never returned',
});
const Target = Type.String({ minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9._/-]+$' });
const settings = {
  name: Type.Optional(Name),
  target: Type.Optional(Target),
  token: Type.Optional(Token),
  user: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x39\\x3b-\\x7e]+$' })),
  ),
  issue_type: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 80, pattern: '\\S' }))),
  extra_fields: Type.Optional(Type.Array(ExtraField, { maxItems: EXTRA_FIELDS_MAX })),
  close_on_resolve: Type.Optional(SYNC_FIELDS.close_on_resolve),
  reopen_on_regress: Type.Optional(SYNC_FIELDS.reopen_on_regress),
  resolve_on_close: Type.Optional(SYNC_FIELDS.resolve_on_close),
  wont_fix: Type.Optional(SYNC_FIELDS.wont_fix),
  sync_assignee: Type.Optional(SYNC_FIELDS.sync_assignee),
  sync_notes: Type.Optional(SYNC_FIELDS.sync_notes),
};

const TRACKERS_PATH = '/v1/projects/:id/trackers';
const trackerParams = Closed({ id: PathId('project'), trackerId: PathId('tracker') });
const trackerScope = {
  of: 'project_record',
  kind: 'tracker',
  project: 'params.id',
  id: 'params.trackerId',
} as const;
const answer = Closed({ tracker: Tracker });

export const listTrackers = defineEndpoint({
  id: 'listTrackers',
  method: 'GET',
  path: TRACKERS_PATH,
  summary: 'List the issue trackers of a project, oldest first',
  ...OF_PROJECT,
  responses: { 200: Closed({ trackers: Type.Array(Tracker) }) },
});

export const createTracker = defineEndpoint({
  id: 'createTracker',
  method: 'POST',
  path: TRACKERS_PATH,
  summary: 'Connect an issue tracker',
  ...OF_PROJECT,
  role: 'admin',
  body: Closed({
    ...settings,
    kind: Type.Enum([...TRACKER_KINDS]),
    target: Target,
    base_url: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Base address of the API; default: the public one of the product',
      }),
    ),
  }),
  conditions: [
    'Jira and `generic` need `base_url`, and every kind but `generic` needs `token`.',
    'The private key of a GitHub App needs the ID of the App as `user`.',
    'A repository has the form `owner/name`.',
    'Only Jira has `extra_fields`, each once, and not those that every ticket has.',
    `A project has at most ${TRACKERS_MAX} trackers.`,
  ],
  responses: {
    201: Closed({
      tracker: Tracker,
      secret: Type.Optional(
        Type.String({
          description: '`generic` without `token`: the new shared secret, only in this response',
        }),
      ),
    }),
  },
  errors: ['blocked_target', 'resource_limit_reached'],
});

export const updateTracker = defineEndpoint({
  id: 'updateTracker',
  method: 'PATCH',
  path: `${TRACKERS_PATH}/:trackerId`,
  summary: 'Change an issue tracker; a token replaces the stored one',
  scope: trackerScope,
  role: 'admin',
  params: trackerParams,
  body: Closed(settings, { minProperties: 1 }),
  conditions: [
    'The private key of a GitHub App needs the ID of the App as `user`.',
    'A repository has the form `owner/name`.',
    'Only Jira has `extra_fields`, each once, and not those that every ticket has.',
    'The target stays while incidents have tickets of the tracker.',
  ],
  responses: { 200: answer },
  errors: ['tracker_in_use'],
});

export const deleteTracker = defineEndpoint({
  id: 'deleteTracker',
  method: 'DELETE',
  path: `${TRACKERS_PATH}/:trackerId`,
  summary: 'Disconnect an issue tracker; with `unlink` its links stay as plain addresses',
  scope: trackerScope,
  role: 'admin',
  params: trackerParams,
  query: Closed({
    unlink: Type.Optional(Type.Enum(['1'], { description: 'Also if incidents have tickets in it' })),
  }),
  body: 'none',
  responses: { 200: Closed({ deleted: Type.Literal(true) }) },
  errors: ['tracker_in_use'],
});

const Right = Nullable(Type.Boolean());
/** The rights of the token in the target, as the tracker reports them; null where it reports none. */
export const TrackerRights = Named('TrackerRights', {
  create: Right,
  comment: Right,
  transition: Right,
  hook: Nullable(Type.Boolean({ description: 'Create a webhook, as `install-hook` does' })),
});
export type TrackerRights = Static<typeof TrackerRights>;

export const testTracker = defineEndpoint({
  id: 'testTracker',
  method: 'POST',
  path: `${TRACKERS_PATH}/:trackerId/test`,
  summary: 'Test the token, its rights and the target; a success restarts a stopped tracker',
  scope: trackerScope,
  role: 'admin',
  params: trackerParams,
  body: 'none',
  responses: { 200: Closed({ tracker: Tracker, rights: TrackerRights }) },
  errors: ['tracker_refused', 'tracker_unreachable'],
});

/** The targets in which tickets can be created, as the tracker lists them (docs/contract/team-workflow.md 7.1). */
export const TrackerTargets = Named('TrackerTargets', {
  targets: Type.Array(
    Closed({ target: Type.String(), name: Type.String({ description: 'Displayed name' }) }),
    { maxItems: TRACKER_TARGETS_MAX },
  ),
  issue_types: Type.Array(Type.String(), {
    maxItems: TRACKER_TARGETS_MAX,
    description: 'Jira, with `target`: the types of tickets that it has',
  }),
});
export type TrackerTargets = Static<typeof TrackerTargets>;

export const listTrackerTargets = defineEndpoint({
  id: 'listTrackerTargets',
  method: 'POST',
  path: `${TRACKERS_PATH}/targets`,
  summary: 'List where a tracker can create tickets, by its stored token or by one that is not stored yet',
  ...OF_PROJECT,
  role: 'admin',
  changesNothing: true,
  body: Closed({
    tracker_id: Type.Optional(RequestId('A connected tracker, instead of the other connection fields')),
    kind: Type.Optional(Type.Enum([...TRACKER_KINDS])),
    base_url: Type.Optional(Type.String({ maxLength: 500 })),
    token: settings.token,
    user: settings.user,
    target: Type.Optional(Target),
    q: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name' })),
  }),
  conditions: [
    'Either `tracker_id` is given, or `kind` and `token`.',
    `At most ${TRACKER_TARGETS_MAX} are listed; \`generic\` lists none.`,
  ],
  responses: { 200: TrackerTargets },
  errors: ['blocked_target', 'tracker_not_found', 'tracker_refused', 'tracker_unreachable'],
});

/** A ticket of a tracker, as people choose one to link. */
export const FoundTicket = Named('FoundTicket', {
  key: Type.String({ description: 'Such as `acme/shop#12` or `ENG-123`' }),
  url: Nullable(Type.String()),
  title: Nullable(Type.String()),
  state: Type.Enum(['open', 'closed']),
  state_name: Type.String({ description: 'As the tracker names it' }),
  assignee_name: Nullable(Type.String()),
});
export type FoundTicket = Static<typeof FoundTicket>;

export const listTrackerTickets = defineEndpoint({
  id: 'listTrackerTickets',
  method: 'GET',
  path: `${TRACKERS_PATH}/:trackerId/tickets`,
  summary: 'List tickets of a tracker by their title or key, to link one to an incident',
  scope: trackerScope,
  params: trackerParams,
  query: Closed({
    q: Type.Optional(
      Type.String({
        maxLength: TICKET_SEARCH_LENGTH_MAX,
        description: 'Part of the title, or a key or address; default: the latest changed tickets',
      }),
    ),
  }),
  conditions: [`At most ${FOUND_TICKETS_MAX} are listed; \`generic\` lists none.`],
  responses: { 200: Closed({ tickets: Type.Array(FoundTicket, { maxItems: FOUND_TICKETS_MAX }) }) },
  errors: ['tracker_refused', 'tracker_unreachable'],
});

const TicketChoices = Type.Array(
  Closed({ id: Type.String({ description: 'For `createLink`' }), name: Type.String() }),
  { maxItems: TICKET_CHOICES_MAX },
);
/** Choices for new tickets of a tracker (docs/contract/team-workflow.md 7.1). */
export const TrackerFields = Named('TrackerFields', { priorities: TicketChoices, labels: TicketChoices });
export type TrackerFields = Static<typeof TrackerFields>;

export const listTrackerFields = defineEndpoint({
  id: 'listTrackerFields',
  method: 'GET',
  path: `${TRACKERS_PATH}/:trackerId/fields`,
  summary: 'List the priorities and labels that new tickets of a tracker can have',
  scope: trackerScope,
  params: trackerParams,
  conditions: [
    `At most ${TICKET_CHOICES_MAX} of each are listed. GitHub and GitLab have no priorities, and \`generic\` lists none.`,
  ],
  responses: { 200: TrackerFields },
  errors: ['tracker_refused', 'tracker_unreachable'],
});

export const createTrackerHook = defineEndpoint({
  id: 'createTrackerHook',
  method: 'POST',
  path: `${TRACKERS_PATH}/:trackerId/hook`,
  summary: 'Create the address and secret of a webhook of the tracker; earlier ones stop working',
  scope: trackerScope,
  role: 'admin',
  params: trackerParams,
  body: Closed({
    secret: Type.Optional(
      Type.String({
        minLength: 8,
        maxLength: 200,
        pattern: '^[\\x21-\\x7e]+$',
        description: 'A secret from the tracker, as for Linear; default: a new one',
      }),
    ),
  }),
  isBodyOptional: true,
  responses: {
    201: Closed({
      url: Type.String({ description: 'For the webhook of the tracker' }),
      secret: Type.String({ description: 'Only in this response' }),
    }),
  },
});

export const installTrackerHook = defineEndpoint({
  id: 'installTrackerHook',
  method: 'POST',
  path: `${TRACKERS_PATH}/:trackerId/install-hook`,
  summary: 'Create the webhook at the tracker, or correct the existing one',
  scope: trackerScope,
  role: 'admin',
  params: trackerParams,
  body: 'none',
  conditions: [
    '`generic` and Jira on an own server take none by their interface: create the address by `hook`.',
  ],
  responses: { 200: answer },
  errors: ['hook_by_hand', 'tracker_refused', 'tracker_unreachable'],
});
