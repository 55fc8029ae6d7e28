import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { SecondTimestamp } from '../schemas/timestamp-schemas.ts';
import { buildEventBatchSchema } from './event-schema.ts';

/** An active remote probe in the answer to a batch (docs/contract/ingestion.md 3.9). */
export const ProbeDirective = Named('ProbeDirective', {
  activation_id: Type.String({ description: '`act_` and a UUID; the bare UUID for a published library' }),
  label_pattern: Type.String(),
  service: Type.String(),
  environment: Type.String(),
  expires_at: SecondTimestamp,
  trigger_expires_at: SecondTimestamp,
});
export type ProbeDirective = Static<typeof ProbeDirective>;

/** The result of a batch (docs/contract/ingestion.md 3.2): `accepted + rejected` is the number of events sent. */
export const Acknowledgement = Named('Acknowledgement', {
  accepted: Type.Integer({ minimum: 0, description: 'Repetitions of a known event included' }),
  rejected: Type.Integer({ minimum: 0 }),
  errors: Type.Array(Closed({ index: Type.Integer({ minimum: 0 }), reason: Type.String({ minLength: 1 }) }), {
    description: 'One entry per rejected event, in the order of the batch',
  }),
  probe_directives: Closed({ active_probes: Type.Array(ProbeDirective) }),
});
export type Acknowledgement = Static<typeof Acknowledgement>;

/** Each event is judged on its own, so the request as such only promises a list (docs/contract/ingestion.md 1.1). */
const EventBatch = Type.Unsafe<{ events: unknown[] }>(buildEventBatchSchema());

export const postEvents = defineEndpoint({
  id: 'postEvents',
  method: 'POST',
  path: '/v1/events',
  summary: 'Send a batch of events; each is accepted or rejected individually',
  auth: 'project_token',
  body: EventBatch,
  conditions: [
    'If an event has two spellings of one field, both must have the same value; only the two spellings of `path` may differ.',
    '`first_seen` is not after `last_seen`.',
    'Dates exist in the calendar.',
    'An event that breaks a condition is rejected individually, with a reason in `errors`; the others are accepted.',
  ],
  responses: { 202: Acknowledgement },
  errors: ['invalid_content_type', 'origin_not_allowed', 'rate_limited'],
});
