import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { ALLOWED_ORIGIN_LENGTH_MAX, ALLOWED_ORIGINS_MAX, TokenLabel } from '../workspace/tokens.ts';

export const DSN_SERVICE_NAME_LENGTH_MAX = 200;
export const DSN_EVENTS_PER_MINUTE_MAX = 1_000_000;

const Address = Type.String();

/** A public key with which foreign clients send (docs/contract/foreign-protocols.md 2.3). */
export const DsnKey = Named('DsnKey', {
  token_id: AnswerId('tok'),
  project_id: AnswerId('proj'),
  label: Type.String(),
  public_key: Type.String({ description: '32 hexadecimal digits' }),
  dsn: Type.String({ description: 'The DSN for a Sentry library' }),
  addresses: Closed(
    {
      envelope: Address,
      security: Address,
      otlp_traces: Address,
      otlp_logs: Address,
      cron: Address,
    },
    { description: 'Complete URLs; those of reports and jobs hold the key' },
  ),
  allowed_origins: Type.Array(Type.String(), {
    description: 'Empty: requests from any origin, and without one, are accepted',
  }),
  service_name: Nullable(
    Type.String({ description: 'Service of events without one; null: the slug of the project' }),
  ),
  events_per_minute: Nullable(
    Type.Integer({ description: 'Limit of the key, in addition to that of the plan; null: none' }),
  ),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
});
export type DsnKey = Static<typeof DsnKey>;

const choices = {
  allowed_origins: Type.Optional(
    Type.Array(Type.String({ maxLength: ALLOWED_ORIGIN_LENGTH_MAX }), {
      maxItems: ALLOWED_ORIGINS_MAX,
      description: 'Browser origins, `scheme://host[:port]`, that can use the key; no others can',
    }),
  ),
  service_name: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: DSN_SERVICE_NAME_LENGTH_MAX, pattern: '\\S' })),
  ),
  events_per_minute: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: DSN_EVENTS_PER_MINUTE_MAX })),
  ),
};

const keyParams = Closed({ id: PathId('project'), tokenId: PathId('token') });
const oneKey = Closed({ key: DsnKey });

export const listDsnKeys = defineEndpoint({
  id: 'listDsnKeys',
  method: 'GET',
  path: '/v1/projects/:id/dsn-keys',
  summary: 'List the DSN keys of a project, live and revoked, newest first',
  ...OF_PROJECT,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ keys: Type.Array(DsnKey), next_cursor: NextCursor }),
  },
});

export const createDsnKey = defineEndpoint({
  id: 'createDsnKey',
  method: 'POST',
  path: '/v1/projects/:id/dsn-keys',
  summary: 'Create a DSN key, with which foreign clients send events',
  ...OF_PROJECT,
  body: Closed({ label: TokenLabel, ...choices }),
  responses: { 201: oneKey },
  errors: ['resource_limit_reached'],
});

export const updateDsnKey = defineEndpoint({
  id: 'updateDsnKey',
  method: 'PATCH',
  path: '/v1/projects/:id/dsn-keys/:tokenId',
  summary: 'Change a DSN key, effective with the next request',
  scope: { of: 'project', id: 'params.id' },
  params: keyParams,
  body: Closed({ label: Type.Optional(TokenLabel), ...choices }),
  responses: { 200: oneKey },
  errors: ['dsn_key_not_found'],
});

export const revokeDsnKey = defineEndpoint({
  id: 'revokeDsnKey',
  method: 'POST',
  path: '/v1/projects/:id/dsn-keys/:tokenId/revoke',
  summary: 'Revoke a DSN key; revoking it again changes nothing',
  scope: { of: 'project', id: 'params.id' },
  params: keyParams,
  body: 'none',
  responses: { 200: oneKey },
  errors: ['dsn_key_not_found'],
});
