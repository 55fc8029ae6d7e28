import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { SecondTimestamp } from '../schemas/timestamp-schemas.ts';

/** The default lifetime of a probe (docs/contract/ingestion.md 6.1). */
export const PROBE_TTL_SECONDS_DEFAULT = 3600;
const PROBE_TTL_SECONDS_MIN = 60;
const PROBE_TTL_SECONDS_MAX = 3600;
const TRIGGER_TTL_SECONDS_MAX = 86_400;

/** An activated remote probe (docs/contract/ingestion.md 6.1). */
export const ProbeActivation = Named('ProbeActivation', {
  activation_id: AnswerId('act'),
  label_pattern: Type.String(),
  service: Type.String({ description: '`*` for every service' }),
  environment: Type.String({ description: '`*` for every environment' }),
  expires_at: SecondTimestamp,
  trigger_expires_at: SecondTimestamp,
  created_at: SecondTimestamp,
  activated_by: Nullable(
    Type.String({ description: 'Email address of the member; null once their account is gone' }),
  ),
});
export type ProbeActivation = Static<typeof ProbeActivation>;

const ActivationRequest = Closed({
  label_pattern: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'A label, in which `*` is any text and `?` one character; `name.*` is `name` and everything below it. `[` is refused. Published libraries receive a name, `name.*` and `*` only, which `X-Service-Notice` says of others',
  }),
  service: Type.Optional(Type.String({ minLength: 1, maxLength: 200, default: '*' })),
  environment: Type.Optional(Type.String({ minLength: 1, maxLength: 200, default: '*' })),
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: PROBE_TTL_SECONDS_MIN,
      maximum: PROBE_TTL_SECONDS_MAX,
      default: PROBE_TTL_SECONDS_DEFAULT,
    }),
  ),
  trigger_ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: PROBE_TTL_SECONDS_MIN,
      maximum: TRIGGER_TTL_SECONDS_MAX,
      description: '`ttl_seconds` when absent',
    }),
  ),
  sample_rate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'Stored; has no effect' }),
  ),
});

export const activateProbe = defineEndpoint({
  id: 'activateProbe',
  method: 'POST',
  path: '/v1/projects/:id/probes/activate',
  summary: 'Activate a remote probe for a limited time',
  ...OF_PROJECT,
  body: ActivationRequest,
  responses: {
    201: Closed({
      activation: ProbeActivation,
      trigger_token: Type.String({
        description: 'Activates the probe for one request; only in this response',
      }),
      compat_trigger_token: Type.String({ description: 'The same for published libraries' }),
    }),
  },
  errors: ['upgrade_required', 'probe_limit_reached', 'monthly_quota_exceeded'],
});

export const listProbes = defineEndpoint({
  id: 'listProbes',
  method: 'GET',
  path: '/v1/projects/:id/probes',
  summary: 'List the active remote probes, newest first',
  ...OF_PROJECT,
  query: Closed(pageQuery),
  responses: {
    200: Closed({ probes: Type.Array(ProbeActivation), next_cursor: NextCursor }),
  },
});

export const deactivateProbe = defineEndpoint({
  id: 'deactivateProbe',
  method: 'POST',
  path: '/v1/projects/:id/probes/deactivate',
  summary: 'Deactivate a remote probe; trigger tokens that were issued stay valid',
  ...OF_PROJECT,
  body: Closed({
    activation_id: RequestId('Id of an active probe; the prefixed and the bare form are accepted'),
  }),
  responses: {
    200: Closed({
      deactivated: Closed({ activation_id: AnswerId('act'), deactivated_at: SecondTimestamp }),
    }),
  },
  errors: ['activation_not_found'],
});
