import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** A release of a service that was reported by a deploy marker (docs/contract/incidents.md 5.8). */
export const Deployment = Named('Deployment', {
  deployment_id: AnswerId(null),
  service_name: Type.String(),
  environment: Type.String(),
  version: Nullable(Type.String()),
  commit_sha: Nullable(Type.String()),
  branch: Nullable(Type.String()),
  deployed_at: Timestamp,
  release_id: Nullable(AnswerId(null)),
});
export type Deployment = Static<typeof Deployment>;

const Name = Type.String({ minLength: 1, maxLength: 200 });

export const listDeployments = defineEndpoint({
  id: 'listDeployments',
  method: 'GET',
  path: '/v1/projects/:id/deployments',
  summary: 'List the deployments of a project, newest first',
  ...OF_PROJECT,
  query: Closed({
    service: Type.Optional({ ...Name, description: 'Only those of the service with exactly this name' }),
    environment: Type.Optional({ ...Name, description: 'Only those in exactly this environment' }),
    ...pageQuery,
  }),
  responses: {
    200: Closed({ deployments: Type.Array(Deployment), next_cursor: NextCursor }),
  },
});
