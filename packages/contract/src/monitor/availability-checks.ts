import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_PROJECT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/** The values of a check unless its creator names others (docs/contract/account.md 7.2). */
export const CHECK_DEFAULTS = {
  method: 'GET',
  expectedStatusMin: 200,
  expectedStatusMax: 399,
  timeoutMs: 2500,
  failureThreshold: 3,
  recoveryThreshold: 2,
} as const;

export const CHECK_NAME_LENGTH_MAX = 120;
export const CHECK_ENVIRONMENT_LENGTH_MAX = 50;
const CHECK_INTERVAL_SECONDS_MIN = 30;
export const CHECK_URL_LENGTH_MAX = 2000;
/** The least and the most of what a check is made of. */
export const CHECK_BOUNDS = {
  httpStatus: { minimum: 100, maximum: 599 },
  timeoutMs: { minimum: 500, maximum: 5000 },
  intervalSeconds: { minimum: CHECK_INTERVAL_SECONDS_MIN, maximum: 86_400 },
  threshold: { minimum: 1, maximum: 10 },
} as const;

/** Outcomes of a run (docs/contract/account.md 7.5). */
const CHECK_RESULT_STATUSES = [
  'success',
  'http_status_mismatch',
  'timeout',
  'dns_error',
  'tls_error',
  'connection_error',
  'redirect_blocked',
  'security_blocked',
  'internal_error',
] as const;
export type CheckResultStatus = (typeof CHECK_RESULT_STATUSES)[number];

/** Why a run was no success, in one word. */
const CHECK_ERROR_KINDS = [
  'status_out_of_range',
  'timeout',
  'dns_no_answer',
  'dns_failed',
  'tls_failed',
  'connection_failed',
  'invalid_response',
  'redirect_target_blocked',
  'too_many_redirects',
  'address_blocked',
  'internal',
] as const;
export type CheckErrorKind = (typeof CHECK_ERROR_KINDS)[number];

const ResultStatus = Type.Enum([...CHECK_RESULT_STATUSES]);
const ErrorKind = Type.Enum([...CHECK_ERROR_KINDS]);
const CheckStatus = Type.Enum(['unknown', 'passing', 'failing', 'paused']);
const PausedReason = Type.Enum(['disabled', 'plan_check_limit', 'plan_interval_limit']);
export type PausedReason = Static<typeof PausedReason>;

const Method = Type.Enum(['GET', 'HEAD']);
export type CheckMethod = Static<typeof Method>;
const Name = Type.String({ minLength: 1, maxLength: CHECK_NAME_LENGTH_MAX });
const Environment = Type.String({ minLength: 1, maxLength: CHECK_ENVIRONMENT_LENGTH_MAX });
const Url = Type.String({
  minLength: 1,
  maxLength: CHECK_URL_LENGTH_MAX,
  description: 'http or https; the outbound request policy decides what may be called',
});
const {
  httpStatus: HttpStatus,
  timeoutMs: Timeout,
  intervalSeconds: Interval,
  threshold: Threshold,
} = CHECK_BOUNDS;

/** The limits of a project by its plan (docs/contract/account.md 6.1). */
export const CheckLimits = Named('AvailabilityCheckLimits', {
  max_checks_per_project: Type.Integer(),
  min_interval_seconds: Type.Integer(),
});
export type CheckLimits = Static<typeof CheckLimits>;

/** An availability check (docs/contract/account.md 7.3). */
export const AvailabilityCheck = Named('AvailabilityCheck', {
  check_id: AnswerId(null),
  project_id: AnswerId('proj'),
  name: Type.String(),
  url: Type.String(),
  method: Method,
  expected_status_min: Type.Integer(),
  expected_status_max: Type.Integer(),
  timeout_ms: Type.Integer(),
  interval_seconds: Type.Integer(),
  failure_threshold: Type.Integer(),
  recovery_threshold: Type.Integer(),
  environment: Type.String(),
  service_name: Nullable(Type.String()),
  enabled: Type.Boolean(),
  status: CheckStatus,
  paused_reason: Nullable(PausedReason),
  organization_plan: Type.Enum(['free', 'solo', 'team']),
  consecutive_failures: Type.Integer(),
  consecutive_successes: Type.Integer(),
  linked_incident_id: Nullable(AnswerId('inc')),
  linked_incident_status: Nullable(Type.Enum(['open', 'resolved', 'regressed'])),
  last_checked_at: Nullable(Timestamp),
  next_check_at: Nullable(Timestamp),
  last_result_status: Nullable(ResultStatus),
  last_result_http_status: Nullable(Type.Integer()),
  last_result_error_kind: Nullable(ErrorKind),
  last_result_error_message: Nullable(Type.String()),
  last_result_duration_ms: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type AvailabilityCheck = Static<typeof AvailabilityCheck>;

/** One run of a check (docs/contract/account.md 7.6). */
export const CheckResult = Named('AvailabilityCheckResult', {
  result_id: AnswerId(null),
  check_id: AnswerId(null),
  project_id: AnswerId('proj'),
  started_at: Timestamp,
  completed_at: Timestamp,
  duration_ms: Type.Integer(),
  status: ResultStatus,
  http_status: Nullable(Type.Integer()),
  error_kind: Nullable(ErrorKind),
  error_message: Nullable(Type.String()),
  checked_url_host: Type.String(),
  final_url: Type.String({ description: 'Without query and fragment' }),
  redirect_count: Type.Integer(),
});
export type CheckResult = Static<typeof CheckResult>;

/** The result of a test. Query values are masked. */
export const CheckTestResult = Named('AvailabilityTestResult', {
  status: ResultStatus,
  http_status: Nullable(Type.Integer()),
  duration_ms: Type.Integer(),
  error_kind: Nullable(ErrorKind),
  error_message: Nullable(Type.String()),
  checked_url_host: Type.String(),
  checked_url_path: Type.String(),
  checked_url_query: Type.Record(Type.String(), Type.String()),
  final_url: Type.String(),
  redirect_count: Type.Integer(),
});
export type CheckTestResult = Static<typeof CheckTestResult>;

const targetFields = {
  method: Type.Optional(Type.Enum(['GET', 'HEAD'], { default: CHECK_DEFAULTS.method })),
  expected_status_min: Type.Optional(
    Type.Integer({ ...HttpStatus, default: CHECK_DEFAULTS.expectedStatusMin }),
  ),
  expected_status_max: Type.Optional(
    Type.Integer({
      ...HttpStatus,
      default: CHECK_DEFAULTS.expectedStatusMax,
      description: 'Not below `expected_status_min`',
    }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({
      ...Timeout,
      default: CHECK_DEFAULTS.timeoutMs,
      description: 'From the name look-up to the response headers, redirects included',
    }),
  ),
};

const NewCheck = Closed({
  name: Name,
  url: Url,
  ...targetFields,
  interval_seconds: Type.Integer(Interval),
  failure_threshold: Type.Optional(Type.Integer({ ...Threshold, default: CHECK_DEFAULTS.failureThreshold })),
  recovery_threshold: Type.Optional(
    Type.Integer({ ...Threshold, default: CHECK_DEFAULTS.recoveryThreshold }),
  ),
  environment: Type.Optional({
    ...Environment,
    description: "The project's default environment when absent",
  }),
  service_name: Type.Optional(Nullable(Name)),
  enabled: Type.Optional(Type.Boolean({ default: true })),
});

/** There are no defaults here: a field that is not named stays unchanged. */
const CheckPatch = Closed(
  {
    name: Type.Optional(Name),
    url: Type.Optional(Url),
    method: Type.Optional(Method),
    expected_status_min: Type.Optional(Type.Integer(HttpStatus)),
    expected_status_max: Type.Optional(Type.Integer(HttpStatus)),
    timeout_ms: Type.Optional(Type.Integer(Timeout)),
    interval_seconds: Type.Optional(Type.Integer(Interval)),
    failure_threshold: Type.Optional(Type.Integer(Threshold)),
    recovery_threshold: Type.Optional(Type.Integer(Threshold)),
    environment: Type.Optional(Environment),
    service_name: Type.Optional(Nullable(Name)),
    enabled: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1 },
);

/** The path of the checks of a project. */
export const CHECKS_PATH = '/v1/projects/:id/availability-checks';
/** Its parameter, and those of one check. */
export const projectParams = Closed({ id: PathId('project') });
export const checkParams = Closed({ id: PathId('project'), checkId: PathId('availability_check') });
const checkAnswer = Closed({ check: AvailabilityCheck });

export const listAvailabilityChecks = defineEndpoint({
  id: 'listAvailabilityChecks',
  method: 'GET',
  path: CHECKS_PATH,
  summary: 'List the availability checks of a project, newest first, and what its plan allows',
  ...OF_PROJECT,
  query: Closed(pageQuery),
  responses: {
    200: Closed({
      availability_checks: Type.Array(AvailabilityCheck),
      limits: CheckLimits,
      next_cursor: NextCursor,
    }),
  },
});

export const createAvailabilityCheck = defineEndpoint({
  id: 'createAvailabilityCheck',
  method: 'POST',
  path: CHECKS_PATH,
  summary: 'Create an availability check; it runs immediately and then at its interval',
  ...OF_PROJECT,
  role: 'admin',
  body: NewCheck,
  conditions: ['`expected_status_min` is not above `expected_status_max`.'],
  responses: { 201: checkAnswer },
  errors: ['blocked_target', 'availability_check_limit_reached', 'availability_check_interval_too_low'],
});

export const getAvailabilityCheck = defineEndpoint({
  id: 'getAvailabilityCheck',
  method: 'GET',
  path: `${CHECKS_PATH}/:checkId`,
  summary: 'Get an availability check',
  scope: { of: 'project_record', kind: 'availability_check', project: 'params.id', id: 'params.checkId' },
  params: checkParams,
  responses: { 200: Closed({ check: AvailabilityCheck, limits: CheckLimits }) },
});

export const updateAvailabilityCheck = defineEndpoint({
  id: 'updateAvailabilityCheck',
  method: 'PATCH',
  path: `${CHECKS_PATH}/:checkId`,
  summary: 'Change an availability check; earlier runs stop counting when the request or its criteria change',
  scope: { of: 'project_record', kind: 'availability_check', project: 'params.id', id: 'params.checkId' },
  role: 'admin',
  params: checkParams,
  body: CheckPatch,
  conditions: ['After the change, `expected_status_min` is not above `expected_status_max`.'],
  responses: { 200: checkAnswer },
  errors: ['blocked_target', 'availability_check_interval_too_low'],
});

export const deleteAvailabilityCheck = defineEndpoint({
  id: 'deleteAvailabilityCheck',
  method: 'DELETE',
  path: `${CHECKS_PATH}/:checkId`,
  summary: 'Delete an availability check with its results; its incident stays',
  scope: { of: 'project_record', kind: 'availability_check', project: 'params.id', id: 'params.checkId' },
  role: 'admin',
  params: checkParams,
  body: 'none',
  responses: { 200: Closed({ deleted: Type.Literal(true) }) },
});

export const testAvailabilityTarget = defineEndpoint({
  id: 'testAvailabilityTarget',
  method: 'POST',
  path: `${CHECKS_PATH}/test`,
  summary: 'Request an address once as a check would; nothing is stored',
  ...OF_PROJECT,
  role: 'admin',
  body: Closed({ url: Url, ...targetFields }),
  conditions: ['`expected_status_min` is not above `expected_status_max`.'],
  responses: {
    200: Closed({
      normalized_url: Type.String({ description: 'Query values are masked' }),
      result: CheckTestResult,
    }),
  },
  errors: ['blocked_target', 'rate_limited'],
});

export const listAvailabilityResults = defineEndpoint({
  id: 'listAvailabilityResults',
  method: 'GET',
  path: `${CHECKS_PATH}/:checkId/results`,
  summary: 'List the runs of an availability check of the last 30 days, newest first',
  scope: { of: 'project_record', kind: 'availability_check', project: 'params.id', id: 'params.checkId' },
  params: checkParams,
  query: Closed(pageQuery),
  responses: { 200: Closed({ results: Type.Array(CheckResult), next_cursor: NextCursor }) },
});
