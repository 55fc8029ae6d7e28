import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';

/** One row per name and environment (docs/contract/incidents.md 7.1). */
export const Service = Named('Service', {
  service_id: AnswerId(null),
  project_id: AnswerId('proj'),
  name: Type.String(),
  runtime: Nullable(Type.String()),
  framework: Nullable(Type.String()),
  environment: Type.String(),
});
export type Service = Static<typeof Service>;

export const listServices = defineEndpoint({
  id: 'listServices',
  method: 'GET',
  path: '/v1/services',
  summary: 'List services by name, environment and id',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({ project_id: Type.Optional(RequestId('Only this project')), ...pageQuery }),
  responses: {
    200: Closed({ services: Type.Array(Service), next_cursor: NextCursor }),
  },
});
