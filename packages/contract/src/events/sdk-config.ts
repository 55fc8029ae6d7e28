import Type, { type Static } from 'typebox';
import { CaptureRule, ClientCapturePolicy } from '../capture/capture.ts';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { SecondTimestamp } from '../schemas/timestamp-schemas.ts';

const ConfigProbe = Named('ConfigProbe', {
  id: Type.String({ description: 'UUID' }),
  activation_id: Type.String({ description: '`act_` and a UUID; the bare UUID for a published library' }),
  label_pattern: Type.String(),
  service: Type.String({ description: '`*` for every service' }),
  environment: Type.String({ description: '`*` for every environment' }),
  expires_at: SecondTimestamp,
  trigger_expires_at: SecondTimestamp,
});

/** The configuration of client libraries (docs/contract/ingestion.md 7.1). */
export const ClientConfig = Named('ClientConfig', {
  probes_enabled: Type.Literal(true, { description: 'Ring buffers of probes exist on every plan' }),
  remote_probes_enabled: Type.Boolean(),
  active_probes: Type.Array(ConfigProbe),
  poll_interval_ms: Type.Integer({ minimum: 0, description: '0: do not poll again' }),
  capture_policy: ClientCapturePolicy,
  capture_rules: Type.Array(CaptureRule, {
    description:
      'Rules in force that the caller decides exactly, in the order of their evaluation; without counters and authors',
  }),
  trigger_token_key: Type.Optional(
    Type.String({ description: 'Checks trigger tokens of remote probes; absent on plans without them' }),
  ),
});
export type ClientConfig = Static<typeof ClientConfig>;

export const getSdkConfig = defineEndpoint({
  id: 'getSdkConfig',
  method: 'GET',
  path: '/v1/sdk/config',
  summary: 'Get the configuration of a client library; `If-None-Match` is honored',
  auth: 'project_token',
  query: Closed({
    service: Type.Optional(Type.String({ description: 'Only probes for this service' })),
    environment: Type.Optional(Type.String({ description: 'Only probes for this environment' })),
  }),
  responses: { 200: ClientConfig, 304: 'empty' },
  errors: ['invalid_query', 'origin_not_allowed'],
});
