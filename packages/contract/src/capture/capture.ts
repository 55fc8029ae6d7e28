import Type, { type Static } from 'typebox';
import { eventTypes } from '../events/event-fields.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';

/**
 * The access of a caller to policy and rules: owners and admins manage, plain members look (docs/contract/ingestion.md
 * 4.5).
 */
export const CaptureAccessMode = Type.Enum(['manage', 'preview'], {
  description: '`preview` for a plain member',
});
export type CaptureAccessMode = Static<typeof CaptureAccessMode>;

const IMMEDIATE_STATUSES_MAX = 12;
export const IMMEDIATE_PATH_RULES_MAX = 25;

export const CapturePreset = Type.Enum(['minimal', 'balanced', 'investigative']);
export const ClientErrorStatus = Type.Integer({ minimum: 400, maximum: 499 });
export const HttpMethod = Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

export const PathPattern = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^/[^?#*]*\\*?$',
  description: 'A path, or a prefix when it ends in `*`',
});

const ClientErrorPathRule = Named('ClientErrorPathRule', {
  status_code: ClientErrorStatus,
  path_pattern: PathPattern,
  methods: Type.Array(HttpMethod),
});

/** The values of the seven controls (docs/contract/ingestion.md 4.2). */
export const captureControls = {
  capture_logs: Type.Enum(['off', 'error', 'warning', 'info']),
  capture_messages: Type.Enum(['info', 'warning', 'error'], {
    description: 'Least level of a message that the program reported itself and that opens an incident',
  }),
  capture_request_events: Type.Enum(['off', 'failures_only', 'filtered', 'all']),
  capture_breadcrumbs: Type.Enum(['local_only', 'exception_only', 'standalone']),
  capture_probe_events: Type.Enum(['buffer_only', 'standalone_when_activated']),
  immediate_client_error_statuses: Type.Array(ClientErrorStatus, { maxItems: IMMEDIATE_STATUSES_MAX }),
  immediate_client_error_path_rules: Type.Array(ClientErrorPathRule, { maxItems: IMMEDIATE_PATH_RULES_MAX }),
};

/** The policy of a project with every control resolved (docs/contract/ingestion.md 4.5). */
export const CapturePolicy = Named('CapturePolicy', { preset: CapturePreset, ...captureControls });
export type CapturePolicy = Static<typeof CapturePolicy>;

const { capture_messages: _ofServers, ...clientControls } = captureControls;

/** The part of it that clients get with their configuration: they send every message that the program reports. */
export const ClientCapturePolicy = Named('ClientCapturePolicy', { preset: CapturePreset, ...clientControls });
export type ClientCapturePolicy = Static<typeof ClientCapturePolicy>;

/** The values that are saved beside the preset; null means the preset's value. */
export const CaptureOverrides = Named('CaptureOverrides', {
  capture_logs: Nullable(captureControls.capture_logs),
  capture_messages: Nullable(captureControls.capture_messages),
  capture_request_events: Nullable(captureControls.capture_request_events),
  capture_breadcrumbs: Nullable(captureControls.capture_breadcrumbs),
  capture_probe_events: Nullable(captureControls.capture_probe_events),
  immediate_client_error_statuses: Nullable(captureControls.immediate_client_error_statuses),
  immediate_client_error_path_rules: Nullable(captureControls.immediate_client_error_path_rules),
});
export type CaptureOverrides = Static<typeof CaptureOverrides>;

/** Not empty; lengths count characters. */
export const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Values of one list in a matcher: a bound on what every event is compared with and every client is sent. */
const MATCHER_LIST_MAX = 500;

/** Rules of one project (docs/contract/ingestion.md 5.4). */
export const CAPTURE_RULES_MAX = 200;

export const CaptureRuleAction = Type.Enum(['demote', 'sample', 'drop']);
export type CaptureRuleAction = Static<typeof CaptureRuleAction>;

export const SampleRate = Type.Number({ minimum: 0, maximum: 1 });
export const SampleEventClass = Type.Enum(['preserve', 'context']);
const HttpStatus = Type.Integer({ minimum: 100, maximum: 599 });

/** At least one key; all given ones must hold. */
const UrlMatcher = Closed(
  {
    host: Type.Optional(Text(255)),
    host_suffix: Type.Optional(Text(255)),
    path_equals: Type.Optional(Text(1024)),
    path_prefix: Type.Optional(Text(1024)),
  },
  {
    minProperties: 1,
    title: 'UrlMatcher',
    description: 'Hosts in any letter case; paths without query',
  },
);
export type UrlMatcher = Static<typeof UrlMatcher>;

const Runtime = Type.Enum(['browser', 'node', 'python', 'php', 'java', 'go', 'ruby', 'unknown']);
const Runtimes = Type.Array(Runtime, {
  minItems: 1,
  maxItems: MATCHER_LIST_MAX,
  description: '`unknown` is every other runtime, or none',
});

const matcherKeys = {
  event_types: Type.Optional(
    Type.Array(Type.Enum([...eventTypes]), { minItems: 1, maxItems: MATCHER_LIST_MAX }),
  ),
  services: Type.Optional(Type.Array(Text(120), { minItems: 1, maxItems: MATCHER_LIST_MAX })),
  environments: Type.Optional(Type.Array(Text(120), { minItems: 1, maxItems: MATCHER_LIST_MAX })),
  runtime: Type.Optional(Runtimes),
  fingerprint: Type.Optional(Named('FingerprintMatcher', { version: Text(32), value: Text(256) })),
  error_name: Type.Optional(Text(120)),
  message_equals: Type.Optional(Text(500)),
  message_contains: Type.Optional(Text(500)),
  browser_event_kind: Type.Optional(Type.Enum(['window_error', 'resource_error'])),
  browser_event_opaque: Type.Optional(Type.Boolean()),
  resource_url: Type.Optional(UrlMatcher),
  request_url: Type.Optional(UrlMatcher),
  status_codes: Type.Optional(Type.Array(HttpStatus, { minItems: 1, maxItems: MATCHER_LIST_MAX })),
  status_ranges: Type.Optional(
    Type.Array(Closed({ start: HttpStatus, end: HttpStatus }), { minItems: 1, maxItems: MATCHER_LIST_MAX }),
  ),
  first_party: Type.Optional(Type.Boolean()),
  client_kind: Type.Optional(Type.Enum(['human', 'bot', 'unknown'])),
  bot_family: Type.Optional(Text(120)),
};

/**
 * Which events a rule is about (docs/contract/ingestion.md 5.2): all given keys must match, the values of a list are
 * alternatives.
 */
export const CaptureMatcher = Named('CaptureMatcher', matcherKeys);
export type CaptureMatcher = Static<typeof CaptureMatcher>;

/** The same as callers name it. What several keys must satisfy together is checked by the operation. */
export const CaptureMatcherRequest = Named('CaptureMatcherRequest', {
  ...matcherKeys,
  runtime: Type.Optional(
    Type.Union([Runtime, Runtimes], { description: 'A single runtime is treated as a list of one' }),
  ),
});
export type CaptureMatcherRequest = Static<typeof CaptureMatcherRequest>;

/** The record (docs/contract/ingestion.md 5.1). */
export const CaptureRule = Named('CaptureRule', {
  id: AnswerId(null),
  project_id: AnswerId('proj'),
  name: Type.String(),
  description: Nullable(Type.String()),
  enabled: Type.Boolean(),
  action: CaptureRuleAction,
  matcher: CaptureMatcher,
  sample_rate: Nullable(SampleRate),
  sample_event_class: Nullable(SampleEventClass),
  created_by_user_id: Nullable(Type.String()),
  created_from_incident_id: Nullable(Type.String()),
  created_from_event_id: Nullable(Type.String()),
  expires_at: Nullable(Timestamp),
  hit_count: Type.Integer({
    minimum: 0,
    description: 'Decisive matches, counted shortly after the events',
  }),
  last_matched_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type CaptureRule = Static<typeof CaptureRule>;
