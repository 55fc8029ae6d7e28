import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT, OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { RequestTimestamp, Timestamp } from '../schemas/timestamp-schemas.ts';

export const OCCURRENCE_BUCKETS_MAX = 400;
/** Marks of one answer: the newest. */
export const MARKERS_MAX = 200;

/** The longest span, so that its days, the first and the last in part, are no more than that. */
export const OCCURRENCE_DAYS_MAX = OCCURRENCE_BUCKETS_MAX - 1;

/** The widths of buckets. Five minutes are counted for the last two hours only. */
export const BUCKET_SECONDS = [300, 3600, 86_400] as const;

export const OccurrenceMarker = Named('OccurrenceMarker', {
  at: Timestamp,
  kind: Type.Enum(['deploy', 'spike', 'resolved', 'reopened', 'regressed']),
  until: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When a spike was last observed; only for the newest',
    }),
  ),
  deployment_id: Nullable(AnswerId(null)),
  label: Nullable(
    Type.String({
      description: 'Version or commit of a deploy; of a project the service or the title as well',
    }),
  ),
});
export type OccurrenceMarker = Static<typeof OccurrenceMarker>;

const Counts = (description: string) =>
  Type.Array(Type.Integer({ minimum: 0 }), { maxItems: OCCURRENCE_BUCKETS_MAX, description });

/** The occurrences over time, and what happened in that time (docs/contract/server-additions.md S4). */
export const Occurrences = Named('Occurrences', {
  from: Timestamp,
  to: Timestamp,
  bucket_seconds: Type.Integer({ minimum: 1 }),
  counts: Counts('Occurrences in each bucket, oldest first, suppressed ones included'),
  suppressed: Counts('Of these, occurrences that a client library counted instead of sending'),
  markers: Type.Array(OccurrenceMarker, { maxItems: MARKERS_MAX, description: 'Oldest first' }),
});
export type Occurrences = Static<typeof Occurrences>;

const query = Closed({
  from: Type.Optional(RequestTimestamp),
  to: Type.Optional(RequestTimestamp),
});

const conditions = [
  'Without `to` it ends now, and without `from` it begins 24 hours before its end.',
  `\`from\` is before \`to\`, by ${OCCURRENCE_DAYS_MAX} days at most. Both are extended to whole buckets: of five minutes for at most two hours that end now, else of an hour, or of a day where hours would be more than ${OCCURRENCE_BUCKETS_MAX}.`,
];

export const getIncidentOccurrences = defineEndpoint({
  id: 'getIncidentOccurrences',
  method: 'GET',
  path: '/v1/incidents/:id/occurrences',
  summary: 'Count the occurrences of an incident over time, with deploys, spikes and changes of its state',
  ...OF_INCIDENT,
  query,
  conditions,
  responses: { 200: Occurrences },
});

export const getProjectOccurrences = defineEndpoint({
  id: 'getProjectOccurrences',
  method: 'GET',
  path: '/v1/projects/:id/occurrences',
  summary: 'Count the occurrences of all incidents of a project over time',
  ...OF_PROJECT,
  query,
  conditions,
  responses: { 200: Occurrences },
});
