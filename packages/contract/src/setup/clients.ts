import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import type { LossReason } from '../events/loss-reasons.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';

const Lost = Type.Optional(Type.Integer({ minimum: 0 }));

const lossReasons = {
  duplicate: Lost,
  policy: Lost,
  internal: Lost,
  filtered: Lost,
  noise: Lost,
  rule: Lost,
  sampled: Lost,
  suppressed: Lost,
  overflow: Lost,
  too_large: Lost,
  rejected: Lost,
  stale: Lost,
  unload: Lost,
  other: Lost,
} satisfies Record<LossReason, typeof Lost>;

/** One release of a client library in one service (docs/contract/incidents.md 7.1.1). */
export const ProjectClient = Named('ProjectClient', {
  service_id: AnswerId(null),
  service_name: Type.String(),
  environment: Type.String(),
  sdk_name: Type.String({ description: '`unknown` for senders without a name' }),
  sdk_version: Type.String(),
  events: Type.Integer({ minimum: 0, description: 'Events processed, without repetitions' }),
  lost: Closed(lossReasons, {
    description: 'Events lost in the client, by reason; reasons without losses are absent',
  }),
  tags_left_out: Type.Integer({
    minimum: 0,
    description: 'Tags of these events that are not searchable: too many, or not in the format of tags',
  }),
  last_day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'UTC day of its newest event' }),
});
export type ProjectClient = Static<typeof ProjectClient>;

const CLIENT_DAYS_MAX = 90;
export const CLIENT_DAYS_DEFAULT = 7;

export const listProjectClients = defineEndpoint({
  id: 'listProjectClients',
  method: 'GET',
  path: '/v1/projects/:id/clients',
  summary: 'List the client libraries of each service with the events they sent and the losses they reported',
  ...OF_PROJECT,
  query: Closed({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CLIENT_DAYS_MAX,
        default: CLIENT_DAYS_DEFAULT,
        description: 'UTC days that are counted, today included',
      }),
    ),
    ...pageQuery,
  }),
  responses: {
    200: Closed({ clients: Type.Array(ProjectClient), next_cursor: NextCursor }),
  },
});
