import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { ACTIVITY_WINDOWS, type ActivityWindow } from './incident-activity.ts';
import { SEVERITIES } from './severities.ts';

/** The most services in an answer: those that were seen last. */
export const ACTIVE_SERVICES_MAX = 500;

/** The state of a service (docs/contract/server-additions.md S10). */
export const ServiceActivity = Named('ServiceActivity', {
  service_id: AnswerId(null),
  open_incidents: Type.Integer({ minimum: 0 }),
  regressed_incidents: Type.Integer({ minimum: 0 }),
  worst_severity: Nullable(
    Type.Enum([...SEVERITIES], { description: 'Highest severity of its active incidents' }),
  ),
  counts: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Occurrences by bucket of the window' }),
  last_event_at: Timestamp,
  latest_deployment_id: Nullable(AnswerId(null)),
});
export type ServiceActivity = Static<typeof ServiceActivity>;

export const ServiceActivityAnswer = Closed({
  window: Closed({ from: Timestamp, to: Timestamp, bucket_seconds: Type.Integer({ minimum: 1 }) }),
  services: Type.Array(ServiceActivity, {
    maxItems: ACTIVE_SERVICES_MAX,
    description: 'Those that were seen last, first',
  }),
});
export type ServiceActivityAnswer = Static<typeof ServiceActivityAnswer>;

const WINDOWS = Object.keys(ACTIVITY_WINDOWS) as ActivityWindow[];

export const getServiceActivity = defineEndpoint({
  id: 'getServiceActivity',
  method: 'GET',
  path: '/v1/projects/:id/service-activity',
  summary:
    'Get the activity of the services of a project: active incidents, occurrences and latest deployment',
  ...OF_PROJECT,
  query: Closed({ window: Type.Optional(Type.Enum(WINDOWS, { default: '24h' })) }),
  responses: { 200: ServiceActivityAnswer },
});
