import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { INCIDENT_SORTS } from '../incidents/incidents.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { QUERY_CHARS_MAX } from './query-limits.ts';

export const VIEW_NAME_MAX = 60;
/** Shared ones of a project, and own ones of a person. */
export const VIEWS_MAX = 50;
/** Views of one answer. */
export const VIEWS_LISTED_MAX = 500;
const POSITION_MAX = 1000;

export const VIEW_STATUSES = ['active', 'open', 'resolved', 'regressed', 'all'] as const;

const status = Type.Enum([...VIEW_STATUSES], { description: 'Status of the list' });
const sort = Type.Enum([...INCIDENT_SORTS], { description: 'Order of the list' });

/** A list of incidents that has a name (docs/contract/team-workflow.md 1.4). */
export const View = Named('View', {
  view_id: AnswerId(null),
  project_id: Nullable(AnswerId('proj')),
  name: Type.String(),
  q: Type.String({ description: 'Query of the list; empty for none' }),
  status,
  sort,
  is_shared: Type.Boolean({ description: 'Whether the people of its project see it' }),
  created_by_user_id: Nullable(AnswerId(null)),
  position: Type.Integer({ description: 'Views are listed by position, then by age' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type View = Static<typeof View>;

const fields = {
  q: Type.Optional(Type.String({ maxLength: QUERY_CHARS_MAX, description: 'Query of the list' })),
  status: Type.Optional(status),
  sort: Type.Optional(sort),
  is_shared: Type.Optional(
    Type.Boolean({ description: 'Share it with the people of its project; needs a project' }),
  ),
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: POSITION_MAX })),
};
const name = Type.String({
  minLength: 1,
  maxLength: VIEW_NAME_MAX,
  pattern: '\\S',
  description: `1 to ${VIEW_NAME_MAX} characters after trimming`,
});
const viewParams = Closed({ id: PathId('view') });
const viewAnswer = Closed({ view: View });
const BOUND = `A project has at most ${VIEWS_MAX} shared views, and a person ${VIEWS_MAX} own ones.`;

export const listViews = defineEndpoint({
  id: 'listViews',
  method: 'GET',
  path: '/v1/views',
  summary: `List your own views and those shared with you, at most ${VIEWS_LISTED_MAX}`,
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    project_id: Type.Optional(RequestId('Views of this project, and own ones of all projects')),
  }),
  responses: { 200: Closed({ views: Type.Array(View) }) },
});

export const createView = defineEndpoint({
  id: 'createView',
  method: 'POST',
  path: '/v1/views',
  summary: 'Save a view: an incident list with a name',
  scope: { of: 'projects', id: 'body.project_id' },
  body: Closed({ project_id: Type.Optional(RequestId('Absent: all your projects')), name, ...fields }),
  conditions: [BOUND],
  responses: { 201: viewAnswer },
  errors: ['resource_limit_reached'],
});

export const updateView = defineEndpoint({
  id: 'updateView',
  method: 'PATCH',
  path: '/v1/views/:id',
  summary: 'Change a view; shared ones can be changed by their creator and by admins',
  scope: { of: 'person' },
  params: viewParams,
  body: Closed({ name: Type.Optional(name), ...fields }, { minProperties: 1 }),
  conditions: [BOUND],
  responses: { 200: viewAnswer },
  errors: ['view_not_found', 'shared_access_suspended', 'resource_limit_reached'],
});

export const deleteView = defineEndpoint({
  id: 'deleteView',
  method: 'DELETE',
  path: '/v1/views/:id',
  summary: 'Delete a view; shared ones can be deleted by their creator and by admins',
  scope: { of: 'person' },
  params: viewParams,
  body: 'none',
  responses: { 200: viewAnswer },
  errors: ['view_not_found', 'shared_access_suspended'],
});
