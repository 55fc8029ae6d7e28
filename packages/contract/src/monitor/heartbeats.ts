import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { HEARTBEAT_RUN_STATUSES, type HeartbeatRunStatus } from './heartbeat-run-statuses.ts';

/** The values of a heartbeat unless its creator names others (docs/contract/team-workflow.md 8.1). */
export const HEARTBEAT_DEFAULTS = {
  timezone: 'UTC',
  marginMinutes: 5,
  maxRuntimeMinutes: 30,
  failureThreshold: 1,
  recoveryThreshold: 1,
} as const;

export const HEARTBEAT_NAME_LENGTH_MAX = 120;
export const HEARTBEAT_SLUG_LENGTH_MAX = 64;
export const HEARTBEAT_ENVIRONMENT_LENGTH_MAX = 50;
export const HEARTBEAT_CRONTAB_LENGTH_MAX = 100;
/** The least and the most of what a heartbeat is made of. */
export const HEARTBEAT_BOUNDS = {
  interval: { minimum: 1, maximum: 1000 },
  marginMinutes: { minimum: 0, maximum: 10_080 },
  maxRuntimeMinutes: { minimum: 1, maximum: 10_080 },
  threshold: { minimum: 1, maximum: 10 },
} as const;

export const HEARTBEAT_UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export { HEARTBEAT_RUN_STATUSES, type HeartbeatRunStatus };

const Schedule = Type.Union([
  Closed({
    type: Type.Literal('crontab'),
    value: Type.String({
      minLength: 1,
      maxLength: HEARTBEAT_CRONTAB_LENGTH_MAX,
      description: 'Five fields with names of months and days, or `@hourly`, `@daily`, `@weekly`, `@monthly`',
    }),
  }),
  Closed({
    type: Type.Literal('interval'),
    value: Type.Integer(HEARTBEAT_BOUNDS.interval),
    unit: Type.Enum([...HEARTBEAT_UNITS]),
  }),
]);
export type HeartbeatSchedule = Static<typeof Schedule>;

/** A scheduled job that says that it ran, in one environment. */
export const Heartbeat = Named('Heartbeat', {
  heartbeat_id: AnswerId(null),
  project_id: AnswerId('proj'),
  slug: Type.String(),
  name: Type.String(),
  environment: Type.String(),
  service_name: Nullable(Type.String()),
  schedule: Schedule,
  timezone: Type.String(),
  margin_minutes: Type.Integer(),
  max_runtime_minutes: Type.Integer(),
  failure_threshold: Type.Integer(),
  recovery_threshold: Type.Integer(),
  enabled: Type.Boolean(),
  managed_by: Type.Enum(['check_in', 'member']),
  ping_url: Nullable(
    Type.String({ description: 'URL for the job; null for members who cannot change heartbeats' }),
  ),
  status: Type.Enum(['unknown', 'passing', 'failing', 'paused']),
  consecutive_failures: Type.Integer(),
  last_check_in_at: Nullable(Timestamp),
  last_status: Nullable(Type.Enum([...HEARTBEAT_RUN_STATUSES])),
  last_duration_ms: Nullable(Type.Integer()),
  next_expected_at: Nullable(Timestamp),
  linked_incident_id: Nullable(AnswerId('inc')),
  linked_incident_status: Nullable(Type.Enum(['open', 'resolved', 'regressed'])),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Heartbeat = Static<typeof Heartbeat>;

/** One run of a job, or one that was missed. */
export const HeartbeatRun = Named('HeartbeatRun', {
  check_in_id: AnswerId(null),
  status: Type.Enum([...HEARTBEAT_RUN_STATUSES]),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
  duration_ms: Nullable(Type.Integer()),
  environment: Type.String(),
  release: Nullable(Type.String()),
  trace_id: Nullable(Type.String()),
  output: Nullable(Type.String({ description: "The first 2,000 characters of the job's output, redacted" })),
});
export type HeartbeatRun = Static<typeof HeartbeatRun>;

const Name = Type.String({ minLength: 1, maxLength: HEARTBEAT_NAME_LENGTH_MAX, pattern: '\\S' });
const Timezone = Type.String({ minLength: 1, maxLength: 64, description: 'A name of the IANA database' });
const { marginMinutes, maxRuntimeMinutes, threshold } = HEARTBEAT_BOUNDS;
const settings = {
  timezone: Type.Optional(Timezone),
  margin_minutes: Type.Optional(Type.Integer(marginMinutes)),
  max_runtime_minutes: Type.Optional(Type.Integer(maxRuntimeMinutes)),
  failure_threshold: Type.Optional(Type.Integer(threshold)),
  recovery_threshold: Type.Optional(Type.Integer(threshold)),
  service_name: Type.Optional(Nullable(Name)),
  enabled: Type.Optional(Type.Boolean()),
};

/** The report of a job with a project token (docs/contract/team-workflow.md 8.2). */
export const HeartbeatCheckIn = Named('HeartbeatCheckIn', {
  heartbeat: Type.String({
    minLength: 1,
    maxLength: HEARTBEAT_SLUG_LENGTH_MAX,
    pattern: '^[a-z0-9_-]*[a-z0-9][a-z0-9_-]*$',
    description: 'The slug',
  }),
  status: Type.Enum(['in_progress', 'ok', 'error']),
  check_in_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Connects the start and end of a run' }),
  ),
  duration_ms: Type.Optional(Type.Number({ minimum: 0 })),
  environment: Type.Optional(
    Type.String({ minLength: 1, maxLength: HEARTBEAT_ENVIRONMENT_LENGTH_MAX, pattern: '\\S' }),
  ),
  release: Type.Optional(Type.String({ maxLength: 200 })),
  trace_id: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })),
  config: Type.Optional(
    Closed({
      schedule: Schedule,
      timezone: settings.timezone,
      margin_minutes: settings.margin_minutes,
      max_runtime_minutes: settings.max_runtime_minutes,
      failure_threshold: settings.failure_threshold,
      recovery_threshold: settings.recovery_threshold,
    }),
  ),
});
export type HeartbeatCheckIn = Static<typeof HeartbeatCheckIn>;

const HEARTBEATS_PATH = '/v1/projects/:id/heartbeats';
const heartbeatParams = Closed({ id: PathId('project'), heartbeatId: PathId('heartbeat') });
const heartbeatScope = {
  of: 'project_record',
  kind: 'heartbeat',
  project: 'params.id',
  id: 'params.heartbeatId',
} as const;
const answer = Closed({ heartbeat: Heartbeat });

/** The outcomes of the runs of a day. A day on which no run ended is omitted. */
const HeartbeatDay = Named('HeartbeatDay', {
  heartbeat_id: AnswerId(null),
  project_id: AnswerId('proj'),
  day: Type.String({ format: 'date', description: 'Day (UTC) on which the runs began' }),
  total_runs: Type.Integer({ minimum: 0 }),
  ok: Type.Integer({ minimum: 0 }),
  error: Type.Integer({ minimum: 0 }),
  missed: Type.Integer({ minimum: 0 }),
  timeout: Type.Integer({ minimum: 0 }),
  unknown: Type.Integer({ minimum: 0, description: 'The service itself was down' }),
  avg_duration_ms: Nullable(Type.Integer({ description: 'Average over runs that were ok' })),
});
export type HeartbeatDay = Static<typeof HeartbeatDay>;

export const listHeartbeats = defineEndpoint({
  id: 'listHeartbeats',
  method: 'GET',
  path: HEARTBEATS_PATH,
  summary: 'List the heartbeats of a project, newest first',
  ...OF_PROJECT,
  query: Closed(pageQuery),
  responses: { 200: Closed({ heartbeats: Type.Array(Heartbeat), next_cursor: NextCursor }) },
});

export const createHeartbeat = defineEndpoint({
  id: 'createHeartbeat',
  method: 'POST',
  path: HEARTBEATS_PATH,
  summary: 'Create a heartbeat; its job is expected at the next time of the schedule',
  ...OF_PROJECT,
  role: 'admin',
  body: Closed({
    slug: Type.String({
      minLength: 1,
      maxLength: HEARTBEAT_SLUG_LENGTH_MAX,
      pattern: '^[a-z0-9_-]+$',
      description: 'Slug that check-ins use',
    }),
    name: Type.Optional(Name),
    environment: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: HEARTBEAT_ENVIRONMENT_LENGTH_MAX,
        pattern: '\\S',
        description: "The project's default environment when absent",
      }),
    ),
    schedule: Schedule,
    ...settings,
  }),
  conditions: ['The schedule has a time within five years.', 'The time zone is known.'],
  responses: { 201: answer },
  errors: ['heartbeat_exists', 'resource_limit_reached'],
});

export const getHeartbeat = defineEndpoint({
  id: 'getHeartbeat',
  method: 'GET',
  path: `${HEARTBEATS_PATH}/:heartbeatId`,
  summary: 'Get a heartbeat',
  scope: heartbeatScope,
  params: heartbeatParams,
  responses: { 200: answer },
});

export const updateHeartbeat = defineEndpoint({
  id: 'updateHeartbeat',
  method: 'PATCH',
  path: `${HEARTBEATS_PATH}/:heartbeatId`,
  summary: 'Change a heartbeat; the configuration in check-ins no longer changes it then',
  scope: heartbeatScope,
  role: 'admin',
  params: heartbeatParams,
  body: Closed(
    { name: Type.Optional(Name), schedule: Type.Optional(Schedule), ...settings },
    { minProperties: 1 },
  ),
  conditions: ['The schedule has a time within five years.', 'The time zone is known.'],
  responses: { 200: answer },
});

export const deleteHeartbeat = defineEndpoint({
  id: 'deleteHeartbeat',
  method: 'DELETE',
  path: `${HEARTBEATS_PATH}/:heartbeatId`,
  summary: 'Delete a heartbeat with its runs; its incident stays',
  scope: heartbeatScope,
  role: 'admin',
  params: heartbeatParams,
  body: 'none',
  responses: { 200: Closed({ deleted: Type.Literal(true) }) },
});

export const rotateHeartbeatKey = defineEndpoint({
  id: 'rotateHeartbeatKey',
  method: 'POST',
  path: `${HEARTBEATS_PATH}/:heartbeatId/rotate-key`,
  summary: 'Give a heartbeat a new address; the old one stops working',
  scope: heartbeatScope,
  role: 'admin',
  params: heartbeatParams,
  body: 'none',
  responses: { 200: answer },
});

export const listHeartbeatRuns = defineEndpoint({
  id: 'listHeartbeatRuns',
  method: 'GET',
  path: `${HEARTBEATS_PATH}/:heartbeatId/check-ins`,
  summary: 'List the runs of a heartbeat of the last 30 days, newest first',
  scope: heartbeatScope,
  params: heartbeatParams,
  query: Closed(pageQuery),
  responses: { 200: Closed({ check_ins: Type.Array(HeartbeatRun), next_cursor: NextCursor }) },
});

export const listHeartbeatDays = defineEndpoint({
  id: 'listHeartbeatDays',
  method: 'GET',
  path: `${HEARTBEATS_PATH}/:heartbeatId/daily-rollups`,
  summary: "List the outcomes of a heartbeat's runs by day, UTC, latest first, for 90 days",
  scope: heartbeatScope,
  params: heartbeatParams,
  query: Closed(pageQuery),
  responses: { 200: Closed({ daily_rollups: Type.Array(HeartbeatDay), next_cursor: NextCursor }) },
});
