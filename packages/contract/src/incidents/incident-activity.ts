import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** Incidents that one request asks for at most. */
export const ACTIVITY_INCIDENTS_MAX = 100;

/** The windows of activity: so many buckets of so many seconds. The last bucket is the one of this moment. */
export const ACTIVITY_WINDOWS = {
  '24h': { buckets: 24, bucketSeconds: 3600 },
  '7d': { buckets: 28, bucketSeconds: 21_600 },
} as const;
export type ActivityWindow = keyof typeof ACTIVITY_WINDOWS;

/** The place of a failure: the newest in-app frame, or the newest of all if none is in-app. */
export const TopFrame = Named('TopFrame', {
  function: Type.String(),
  file: Type.String(),
  line: Nullable(Type.Integer()),
  column: Nullable(Type.Integer()),
});
export type TopFrame = Static<typeof TopFrame>;

/** The facts of a row in a list besides the record (docs/contract/server-additions.md S3). */
export const IncidentActivity = Named('IncidentActivity', {
  incident_id: AnswerId('inc'),
  counts: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Occurrences in each bucket, oldest first, suppressed ones included',
  }),
  affected_users: Nullable(
    Type.Integer({ minimum: 1, description: 'Estimate; null when no occurrence names a user' }),
  ),
  top_frame: Nullable(TopFrame),
});
export type IncidentActivity = Static<typeof IncidentActivity>;

export const ActivityAnswer = Named('ActivityAnswer', {
  window: Closed({ from: Timestamp, to: Timestamp, bucket_seconds: Type.Integer({ minimum: 1 }) }),
  activity: Type.Array(IncidentActivity, {
    description: 'In the order of the request, each incident once; excludes those that are not visible',
  }),
});
export type ActivityAnswer = Static<typeof ActivityAnswer>;

export const getIncidentActivity = defineEndpoint({
  id: 'getIncidentActivity',
  method: 'GET',
  path: '/v1/incidents/activity',
  summary: 'Get the trend, affected users and location of several incidents',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    incident_ids: Type.String({
      minLength: 1,
      maxLength: 12_900,
      pattern: `^[A-Za-z0-9_-]{1,128}(,[A-Za-z0-9_-]{1,128}){0,${ACTIVITY_INCIDENTS_MAX - 1}}$`,
      description: `1 to ${ACTIVITY_INCIDENTS_MAX} ids of incidents, separated by commas`,
    }),
    window: Type.Optional(
      Type.Enum(['24h', '7d'], {
        default: '24h',
        description: 'The last 24 hours by hour, or the last 7 days by six hours',
      }),
    ),
    project_id: Type.Optional(RequestId('Only this project')),
  }),
  responses: { 200: ActivityAnswer },
});
