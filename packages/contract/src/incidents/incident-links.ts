import Type, { type Static } from 'typebox';
import {
  LINK_STATES,
  LINK_SYNC_FIELDS,
  LINKS_MAX,
  TICKET_COMMENTS,
  TICKET_LABELS_MAX,
  TICKET_TITLE_LENGTH_MAX,
  TRACKER_KINDS,
} from '../alerts/tracker-words.ts';
import { SYNC_FIELDS } from '../alerts/trackers.ts';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

const syncFields = {
  close_on_resolve: SYNC_FIELDS.close_on_resolve,
  reopen_on_regress: SYNC_FIELDS.reopen_on_regress,
  resolve_on_close: SYNC_FIELDS.resolve_on_close,
  wont_fix: SYNC_FIELDS.wont_fix,
  assignee: SYNC_FIELDS.sync_assignee,
  comments: Type.Array(Type.Enum([...TICKET_COMMENTS]), {
    maxItems: TICKET_COMMENTS.length,
    uniqueItems: true,
    description: 'Which events of the incident create comments on the ticket',
  }),
  notes: SYNC_FIELDS.sync_notes,
};
/** A ticket of an incident, or a plain address (docs/contract/team-workflow.md 7.3). */
export const IncidentLink = Named('IncidentLink', {
  link_id: AnswerId(null),
  incident_id: AnswerId('inc'),
  tracker_id: Nullable(AnswerId(null)),
  kind: Nullable(Type.Enum([...TRACKER_KINDS])),
  key: Nullable(
    Type.String({ description: 'Such as `acme/shop#12` or `ENG-123`; null until the ticket is created' }),
  ),
  url: Nullable(Type.String()),
  title: Nullable(Type.String()),
  state: Type.Enum([...LINK_STATES]),
  state_name: Nullable(Type.String({ description: 'As the tracker names it' })),
  assignee_name: Nullable(Type.String({ description: 'Assignee of the ticket' })),
  sync: Nullable(Named('LinkSync', syncFields)),
  own_sync: Type.Array(Type.Enum([...LINK_SYNC_FIELDS]), {
    description: 'The fields of `sync` that this link sets; its tracker sets the others',
  }),
  is_paused: Type.Boolean({
    description: 'The status changed more than 6 times in 10 minutes and is not synchronized until a refresh',
  }),
  last_error: Nullable(Type.String()),
  synced_at: Nullable(Timestamp),
  created_by_user_id: Nullable(AnswerId(null)),
  created_at: Timestamp,
});
export type IncidentLink = Static<typeof IncidentLink>;

const LINKS_PATH = '/v1/incidents/:id/links';
const incidentParams = Closed({ id: PathId('incident') });
const linkParams = Closed({ id: PathId('incident'), linkId: PathId('link') });
const scope = { of: 'record', kind: 'incident', id: 'params.id' } as const;
const answer = Closed({ link: IncidentLink });

export const listLinks = defineEndpoint({
  id: 'listLinks',
  method: 'GET',
  path: LINKS_PATH,
  summary: 'List the tickets and links of an incident, newest first',
  scope,
  params: incidentParams,
  responses: { 200: Closed({ links: Type.Array(IncidentLink) }) },
});

export const createLink = defineEndpoint({
  id: 'createLink',
  method: 'POST',
  path: LINKS_PATH,
  summary: 'Create a ticket, link one that exists, or add an address',
  scope,
  isRepeatable: true,
  params: incidentParams,
  body: Closed({
    tracker_id: Type.Optional(RequestId('Creates a ticket in this tracker, or with `key` links one of it')),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        pattern: '\\S',
        description: 'Key or address of a ticket',
      }),
    ),
    url: Type.Optional(
      Type.String({ maxLength: 2000, pattern: '^https://', description: 'Without `tracker_id`' }),
    ),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TICKET_TITLE_LENGTH_MAX,
        pattern: '\\S',
        description: 'Title of a new ticket or an address; default: the title of the incident',
      }),
    ),
    labels: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: TICKET_LABELS_MAX,
        uniqueItems: true,
        description: 'Of a new ticket: ids of `listTrackerFields`',
      }),
    ),
    priority: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Of a new ticket of Jira or Linear: an id of `listTrackerFields`',
      }),
    ),
  }),
  conditions: [
    'Either `tracker_id` or `url` is given, and `key` only with `tracker_id`.',
    'Only a new ticket has `labels` and `priority`; one of `generic` has neither.',
    `An incident has at most ${LINKS_MAX} links.`,
  ],
  responses: { 201: answer },
  errors: [
    'tracker_not_found',
    'ticket_not_found',
    'link_exists',
    'resource_limit_reached',
    'tracker_refused',
    'tracker_unreachable',
  ],
});

export const updateLink = defineEndpoint({
  id: 'updateLink',
  method: 'PATCH',
  path: `${LINKS_PATH}/:linkId`,
  summary: 'Set what is synchronized between an incident and one of its tickets',
  scope,
  params: linkParams,
  body: Closed({
    sync: Closed(
      {
        close_on_resolve: Type.Optional(Nullable(syncFields.close_on_resolve)),
        reopen_on_regress: Type.Optional(Nullable(syncFields.reopen_on_regress)),
        resolve_on_close: Type.Optional(Nullable(syncFields.resolve_on_close)),
        wont_fix: Type.Optional(Nullable(syncFields.wont_fix)),
        assignee: Type.Optional(Nullable(syncFields.assignee)),
        comments: Type.Optional(Nullable(syncFields.comments)),
        notes: Type.Optional(Nullable(syncFields.notes)),
      },
      { minProperties: 1, description: 'Null: as the tracker sets it' },
    ),
  }),
  conditions: ['A plain address has no `sync`.'],
  responses: { 200: answer },
  errors: ['link_not_found'],
});

export const refreshLink = defineEndpoint({
  id: 'refreshLink',
  method: 'POST',
  path: `${LINKS_PATH}/:linkId/refresh`,
  summary: 'Retry a failed ticket, end a pause, and refresh the link from the tracker soon',
  scope,
  params: linkParams,
  body: 'none',
  responses: { 200: answer },
  errors: ['link_not_found'],
});

export const deleteLink = defineEndpoint({
  id: 'deleteLink',
  method: 'DELETE',
  path: `${LINKS_PATH}/:linkId`,
  summary: 'Remove a link; its ticket does not change',
  scope,
  params: linkParams,
  body: 'none',
  responses: { 200: answer },
  errors: ['link_not_found'],
});
