import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT, OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** Values of a key that the overview of an incident shows. */
export const TOP_VALUES_MAX = 10;
/** Signals below which nothing is said of what is usual. */
export const LIFT_SIGNALS_MIN = 30;

export const TagValue = Named('TagValue', {
  value: Type.String(),
  count: Type.Integer({
    minimum: 1,
    description: 'Signals with the value; scaled where these are sampled',
  }),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'Of all signals of the incident' }),
  lift: Nullable(
    Type.Number({
      minimum: 0,
      description: `The share divided by the share among all signals of the project in the last 7 days; null below ${LIFT_SIGNALS_MIN} signals on either side`,
    }),
  ),
  elsewhere: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: `Share among the signals of the other incidents of the project in the last 7 days; null below ${LIFT_SIGNALS_MIN} of them`,
    }),
  ),
});
export type TagValue = Static<typeof TagValue>;

export const IncidentTag = Named('IncidentTag', {
  key: Type.String(),
  counted: Type.Integer({ minimum: 0, description: 'Signals that have the tag' }),
  distinct: Type.Integer({ minimum: 0, description: 'Values' }),
  is_sampled: Type.Boolean({
    description: 'Whether only some of the signals were counted, for all of them',
  }),
  top: Type.Array(TagValue, { maxItems: TOP_VALUES_MAX }),
});
export type IncidentTag = Static<typeof IncidentTag>;

export const listIncidentTags = defineEndpoint({
  id: 'listIncidentTags',
  method: 'GET',
  path: '/v1/incidents/:id/tags',
  summary: 'List the tags of an incident, the most distinctive first',
  ...OF_INCIDENT,
  responses: {
    200: Closed({ tags: Type.Array(IncidentTag) }),
  },
});

export const listIncidentTagValues = defineEndpoint({
  id: 'listIncidentTagValues',
  method: 'GET',
  path: '/v1/incidents/:id/tags/:key',
  summary: 'List all values of one tag of an incident, the most frequent first',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: Closed({
    id: PathId('incident'),
    key: Type.String({ minLength: 1, maxLength: 64, description: 'Key of the tag' }),
  }),
  query: Closed(pageQuery),
  responses: {
    200: Closed({
      values: Type.Array(
        Closed({
          value: Type.String(),
          count: Type.Integer({ minimum: 1 }),
          share: Type.Number({ minimum: 0, maximum: 1 }),
          first_seen_at: Timestamp,
          last_seen_at: Timestamp,
        }),
      ),
      next_cursor: NextCursor,
    }),
  },
});

export const listProjectTags = defineEndpoint({
  id: 'listProjectTags',
  method: 'GET',
  path: '/v1/projects/:id/tags',
  summary: 'List the tags of a project in the last 7 days',
  ...OF_PROJECT,
  query: Closed({
    prefix: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Prefix of the keys' })),
  }),
  responses: {
    200: Closed({
      tags: Type.Array(
        Closed({
          key: Type.String(),
          events_7d: Type.Integer({ minimum: 0 }),
          values: Type.Array(Type.String(), { maxItems: TOP_VALUES_MAX }),
        }),
      ),
    }),
  },
});
