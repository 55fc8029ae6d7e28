import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';

/** One row per name and environment (docs/contract/incidents.md 7.1). */
export const Service = Type.Object(
  {
    service_id: AnswerId(null),
    project_id: AnswerId('proj'),
    name: Type.String(),
    runtime: Nullable(Type.String()),
    framework: Nullable(Type.String()),
    environment: Type.String(),
  },
  { additionalProperties: false, title: 'Service' },
);
export type Service = Static<typeof Service>;

export const listServices = defineEndpoint({
  id: 'listServices',
  method: 'GET',
  path: '/v1/services',
  summary: 'List services by name, environment and id',
  auth: 'member',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Type.Object(
    { project_id: Type.Optional(RequestId('Only this project')), ...pageQuery },
    { additionalProperties: false },
  ),
  responses: {
    200: Type.Object(
      { services: Type.Array(Service), next_cursor: NextCursor },
      { additionalProperties: false },
    ),
  },
});
