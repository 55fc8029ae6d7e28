import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { RELEASE_CHARS_MAX, RELEASE_VERSION_PATTERN } from '../releases/map-limits.ts';
import { SYMBOLICATION_STATES } from '../releases/map-words.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { RequestTimestamp, Timestamp } from '../schemas/timestamp-schemas.ts';
import { QUERY_CHARS_MAX } from '../search/query-limits.ts';
import { GroupingExplanation } from './grouping-explanation.ts';
import { SEVERITIES } from './severities.ts';
import { Triage } from './triage.ts';
import { SPIKING_MINUTES } from './triage-words.ts';

export const Severity = Type.Enum([...SEVERITIES]);
export const IncidentStatus = Type.Enum(['open', 'resolved', 'regressed']);

/**
 * The possible senders of the signals of an incident: `browser` is anyone with a page of the application open, `server`
 * only a holder of a secret token.
 */
export const SourceTrust = Type.Enum(['browser', 'server', 'mixed'], {
  description:
    'Possible senders of its signals: browsers, which anyone can imitate (origin-bound tokens and browser events), servers, or both',
});
export type SourceTrust = Static<typeof SourceTrust>;

/** Entries of a bulk call, counted before repetitions are dropped (docs/contract/incidents.md 2.3). */
export const BULK_IDS_MAX = 1000;

/** Orders of the list, each descending; equal ones by latest activity or by id. */
export const INCIDENT_SORTS = ['last_seen', 'first_seen', 'occurrences', 'severity', 'priority'] as const;
export type IncidentSort = (typeof INCIDENT_SORTS)[number];

const IncidentReason = Named('IncidentReason', {
  kind: Type.Enum(['backend_exception', 'frontend_exception', 'request_failure', 'error_log', 'heartbeat']),
  description: Type.String(),
  event_type: Type.String(),
  event_class: Type.Literal('incident_signal'),
  matched_policy: Type.Enum([
    'always_incident',
    'immediate_failure_5xx',
    'immediate_failure_preset',
    'immediate_client_error_status',
    'immediate_client_error_path_rule',
    'log_level_error',
    'captured_message',
    'availability_threshold',
    'heartbeat_threshold',
  ]),
});

/** The record of list, detail, resolve, reopen and bulk answers (docs/contract/incidents.md 1.1). */
export const Incident = Named('Incident', {
  incident_id: AnswerId('inc'),
  short_id: Nullable(
    Type.String({
      description: 'Number in the project, such as `CHECKOUT-42`, accepted as an id; null in local mode',
    }),
  ),
  project_id: AnswerId('proj'),
  project_name: Type.String(),
  service_id: Nullable(AnswerId(null)),
  service_name: Nullable(Type.String()),
  latest_deployment_id: Nullable(AnswerId(null)),
  environment: Type.String(),
  fingerprint: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  fingerprint_version: Type.String({ pattern: '^v\\d+$' }),
  title: Type.String(),
  severity: Severity,
  status: IncidentStatus,
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  occurrence_count: Type.Integer({ minimum: 1 }),
  spike_detected_at: Nullable(Timestamp),
  resolved_at: Nullable(Timestamp),
  regressed_at: Nullable(Timestamp),
  matched_fields: GroupingExplanation.matched_fields,
  source_trust: SourceTrust,
  symbolication: Nullable(
    Type.Enum([...SYMBOLICATION_STATES], {
      description: 'Result of source maps for its stack; null if none was applied',
    }),
  ),
  first_release: Nullable(Type.String({ description: 'Version of its first signal with a release' })),
  last_release: Nullable(Type.String({ description: 'Version of its latest signal with a release' })),
  regressed_in_release: Nullable(Type.String({ description: 'Version of the signal that reopened it last' })),
  resolved_in: Nullable(
    Closed(
      {
        kind: Type.Enum(['next_release', 'release']),
        after_version: Nullable(
          Type.String({ description: 'The latest release when it was resolved in the next one' }),
        ),
        version: Nullable(Type.String({ description: 'Null until a later release is seen' })),
      },
      {
        description: 'The release in which it is resolved: earlier ones do not reopen it',
      },
    ),
  ),
  incident_reason: IncidentReason,
  is_sample: Type.Boolean({ description: 'Part of the sample data of the project' }),
  triage: Triage,
});
export type Incident = Static<typeof Incident>;

/** In which release an incident is resolved (docs/contract/source-maps.md 10.4). */
const resolveFields = {
  in: Type.Optional(
    Type.Enum(['next_release', 'release'], {
      description:
        'Releases that are known to be earlier do not reopen it: `next_release`, those up to the latest one of its service; `release`, those before `version`',
    }),
  ),
  version: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: RELEASE_CHARS_MAX,
      pattern: RELEASE_VERSION_PATTERN,
      description: 'With `in: "release"`; it does not have to exist yet',
    }),
  ),
};
const resolveConditions = ['`version` is given with `in: "release"`, and only then.'];
const ResolveRequest = Closed(resolveFields);
export type ResolveRequest = Static<typeof ResolveRequest>;

const incidentAnswer = Closed({ incident: Incident });
const incidentsAnswer = Closed({ incidents: Type.Array(Incident) });
const bulkBody = Closed({
  incident_ids: Type.Array(RequestId('Id of an incident'), {
    minItems: 1,
    maxItems: BULK_IDS_MAX,
    description: 'Duplicates are ignored',
  }),
});

/** Incidents beyond this number are not counted. */
export const INCIDENT_COUNT_MAX = 10_000;

/** The filters of lists and counts of incidents. */
const incidentFilters = {
  project_id: Type.Optional(RequestId('Only this project')),
  environment: Type.Optional(Type.String({ description: 'Exact, case-sensitive' })),
  service: Type.Optional(Type.String({ description: 'Exact service name' })),
  status: Type.Optional(
    Type.Enum(['active', 'open', 'resolved', 'regressed'], {
      description: '`active` is `open` or `regressed`',
    }),
  ),
  severity: Type.Optional(Severity),
  severity_min: Type.Optional(Type.Enum([...SEVERITIES], { description: 'This severity or a higher one' })),
  spiking: Type.Optional(
    Type.Boolean({
      description: `Whether a spike was detected in the last ${SPIKING_MINUTES} minutes`,
    }),
  ),
  symbolication: Type.Optional(
    Type.Enum([...SYMBOLICATION_STATES], { description: 'Result of source maps for the stack' }),
  ),
  release: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: RELEASE_CHARS_MAX,
      description: 'Exactly this first release; `q` also has `release:`, any release in which it was seen',
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: QUERY_CHARS_MAX,
      description:
        'Words and filters, which must all match: `is:regressed service:checkout-* -env:staging users:>10 timeout "could not connect"`. A word matches in the title, and as the beginning of a word of messages, frames, routes and tags; an id or the first 8 or more digits of a fingerprint find their incident',
    }),
  ),
  first_seen_after: Type.Optional(RequestTimestamp),
  attention_after: Type.Optional(RequestTimestamp),
};

export const listIncidents = defineEndpoint({
  id: 'listIncidents',
  method: 'GET',
  path: '/v1/incidents',
  summary: 'List and search incidents, latest activity first by default',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    ...incidentFilters,
    sort: Type.Optional(
      Type.Enum([...INCIDENT_SORTS], {
        default: 'last_seen',
        description: 'Order, the largest first; a cursor belongs to the order it came from',
      }),
    ),
    ...pageQuery,
  }),
  responses: {
    200: Closed({ incidents: Type.Array(Incident), next_cursor: NextCursor }),
  },
});

export const countIncidents = defineEndpoint({
  id: 'countIncidents',
  method: 'GET',
  path: '/v1/incidents/count',
  summary: 'Count the incidents of a list',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed(incidentFilters),
  responses: {
    200: Closed({
      count: Type.Integer({ minimum: 0, maximum: INCIDENT_COUNT_MAX }),
      is_exact: Type.Boolean({ description: `False where there are more than ${INCIDENT_COUNT_MAX}` }),
    }),
  },
});

export const getIncident = defineEndpoint({
  id: 'getIncident',
  method: 'GET',
  path: '/v1/incidents/:id',
  summary: 'Get one incident; the id of its bundle is accepted too',
  ...OF_INCIDENT,
  responses: { 200: incidentAnswer },
});

export const resolveIncident = defineEndpoint({
  id: 'resolveIncident',
  method: 'POST',
  path: '/v1/incidents/:id/resolve',
  summary: 'Resolve an incident; resolving it again changes nothing',
  ...OF_INCIDENT,
  body: ResolveRequest,
  isBodyOptional: true,
  conditions: resolveConditions,
  responses: { 200: incidentAnswer },
  errors: ['release_unknown'],
});

export const reopenIncident = defineEndpoint({
  id: 'reopenIncident',
  method: 'POST',
  path: '/v1/incidents/:id/reopen',
  summary: 'Reopen a resolved incident',
  ...OF_INCIDENT,
  body: 'none',
  responses: { 200: incidentAnswer },
});

export const resolveIncidents = defineEndpoint({
  id: 'resolveIncidents',
  method: 'POST',
  path: '/v1/incidents/resolve',
  summary: 'Resolve several incidents, all or none',
  scope: { of: 'records', kind: 'incident', ids: 'body.incident_ids' },
  body: Closed({ ...bulkBody.properties, ...resolveFields }),
  conditions: resolveConditions,
  responses: { 200: incidentsAnswer },
  errors: ['release_unknown'],
});

export const reopenIncidents = defineEndpoint({
  id: 'reopenIncidents',
  method: 'POST',
  path: '/v1/incidents/reopen',
  summary: 'Reopen several incidents, all or none',
  scope: { of: 'records', kind: 'incident', ids: 'body.incident_ids' },
  body: bulkBody,
  responses: { 200: incidentsAnswer },
});
