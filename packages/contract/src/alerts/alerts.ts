import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { SEVERITIES } from '../incidents/severities.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { ALERT_QUERY_CHARS_MAX } from '../search/query-limits.ts';
import { EMAIL_LENGTH_MAX } from '../workspace/email-address.ts';
import { THRESHOLD_HOURS, THRESHOLD_MINUTES_MAX } from './alert-windows.ts';

const ALERT_CHANNELS = [
  'email',
  'slack',
  'discord',
  'teams',
  'mattermost',
  'ntfy',
  'telegram',
  'pagerduty',
  'webhook',
  'template',
  'tracker',
] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

export const ALERT_CONDITIONS = [
  'new_incident',
  'incident_regressed',
  'error_spike',
  'severity_threshold',
  'regression_after_deploy',
  'occurrence_threshold',
  'snooze_ended',
] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** The changes of an incident at which a rule fires (docs/contract/notifications.md 1.7). */
export const ALERT_TRIGGERS = [
  'new_incident',
  'incident_regressed',
  'error_spike',
  'occurrence_threshold',
  'snooze_ended',
] as const;
export type AlertTrigger = (typeof ALERT_TRIGGERS)[number];

export const ALERT_SCOPES = ['new_incident', 'incident_regressed', 'both'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

const COOLDOWN_SECONDS_MAX = 604_800;
export const ALERTS_PAGE_SIZE_DEFAULT = 50;
const TARGET_LENGTH_MAX = 2000;
const TOKEN_LENGTH_MAX = 500;
export const ALERT_TEMPLATE_LENGTH_MAX = 8192;
export const ALERT_NAME_LENGTH_MAX = 80;
export const ALERT_ENVIRONMENTS_MAX = 20;
export const ALERT_SERVICES_MAX = 50;

const ALERT_HEADERS_MAX = 5;

/** The receiver of an alert (docs/contract/notifications.md 1.4). The channel decides which keys are allowed. */
export const AlertConfig = Closed(
  {
    to: Type.Optional(
      Type.String({ maxLength: EMAIL_LENGTH_MAX, description: '`email`: exactly one address' }),
    ),
    slack_destination_id: Type.Optional(RequestId('`slack`: a connected destination')),
    tracker_id: Type.Optional(RequestId('`tracker`: an issue tracker of the project')),
    webhook_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TARGET_LENGTH_MAX,
        description:
          "`slack`, `discord`, `teams` or `mattermost`: the address of the channel's incoming webhook",
      }),
    ),
    target_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TARGET_LENGTH_MAX,
        description:
          '`webhook` and `template`: the receiver; `ntfy`: the topic; `telegram`: your own Bot API server (optional); `pagerduty`: the event server of another region (optional)',
      }),
    ),
    token: Type.Optional(
      Type.String({
        maxLength: TOKEN_LENGTH_MAX,
        pattern: '^[!-~]+$',
        description:
          '`telegram`: the bot token; `pagerduty`: the integration key; `ntfy`: an access token (optional)',
      }),
    ),
    chat_id: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: '^(?:-?[0-9]+|@[A-Za-z0-9_]+)$',
        description: '`telegram`: the number of the chat, or `@` and the name of a public channel',
      }),
    ),
    thread_id: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: '`telegram`: the topic of a forum (optional)',
      }),
    ),
    body: Type.Optional(
      Type.String({
        maxLength: ALERT_TEMPLATE_LENGTH_MAX,
        description: '`template`: the JSON to send, as text; placeholders such as `{{title}}` are filled in',
      }),
    ),
    headers: Type.Optional(
      Type.Array(Type.String({ maxLength: 600, pattern: '^[A-Za-z0-9-]{1,64}: [ -~]{1,500}$' }), {
        minItems: 1,
        maxItems: ALERT_HEADERS_MAX,
        description:
          '`template`: headers of the request, such as `Authorization: GenieKey …`, optional; answers show their names only',
      }),
    ),
  },
  {
    title: 'AlertConfig',
    description: 'Exactly the keys of the channel; empty after it was cleared',
  },
);
export type AlertConfig = Static<typeof AlertConfig>;

export const AlertChannels = Type.Enum([...ALERT_CHANNELS]);
const Condition = Type.Enum([...ALERT_CONDITIONS]);
const Scope = Type.Enum([...ALERT_SCOPES]);
const SeverityMin = Type.Enum([...SEVERITIES]);
const CooldownSeconds = Type.Integer({ minimum: 0, maximum: COOLDOWN_SECONDS_MAX });

const AlertName = Type.String({ maxLength: ALERT_NAME_LENGTH_MAX });

/** A name, the beginning of names with `*` at its end, or with `!` before it what is left out. */
export const ALERT_NAMES_PATTERN = '^(?:!?[^*!\\s][^*]*\\*?|\\*)$';
const namePatterns = (what: string, maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 202, pattern: ALERT_NAMES_PATTERN }), {
    maxItems,
    description: `${what}, compared exactly; \`*\` at the end matches any rest, \`!\` at the beginning excludes. Null or empty: no restriction`,
  });
const Environments = namePatterns('Names of environments', ALERT_ENVIRONMENTS_MAX);
const ServiceNames = namePatterns(
  'Names of services, in every environment; not together with `service_id`',
  ALERT_SERVICES_MAX,
);

const AlertQuery = Type.String({
  minLength: 1,
  maxLength: ALERT_QUERY_CHARS_MAX,
  description: 'Query that incidents must match, as in incident lists; null: all',
});

const THRESHOLD_FIELDS = {
  threshold_count: Type.Integer({
    minimum: 2,
    maximum: 1_000_000,
    description: 'Events of one incident within `window_minutes`',
  }),
  window_minutes: Type.Integer({
    minimum: 1,
    maximum: 1440,
    description: `1 to ${THRESHOLD_MINUTES_MAX}, or ${THRESHOLD_HOURS.map((hours) => hours * 60).join(', ')}`,
  }),
  threshold_users: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'Affected users of one incident, instead of the other two',
  }),
};

/** An alert rule (docs/contract/notifications.md 1.2). */
export const Alert = Named('Alert', {
  alert_id: AnswerId('alt'),
  project_id: AnswerId('proj'),
  created_by_user_id: AnswerId(null),
  name: Nullable(AlertName),
  service_id: Nullable(AnswerId(null)),
  services: Nullable(ServiceNames),
  environments: Nullable(Environments),
  query: Nullable(AlertQuery),
  channel: AlertChannels,
  condition_type: Condition,
  severity_min: Nullable(SeverityMin),
  severity_lifecycle_scope: Nullable(Scope),
  threshold_count: Nullable(THRESHOLD_FIELDS.threshold_count),
  window_minutes: Nullable(THRESHOLD_FIELDS.window_minutes),
  threshold_users: Nullable(THRESHOLD_FIELDS.threshold_users),
  cooldown_seconds: CooldownSeconds,
  config: AlertConfig,
  is_enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Alert = Static<typeof Alert>;

const ServiceId = RequestId('A service of the project');
export const alertParams = Closed({ id: PathId('alert') });
const alertAnswer = Closed({ alert: Alert });

/** The errors of naming a receiver, when a rule is created and when it is changed. */
const receiverProblems = [
  'blocked_target',
  'upgrade_required',
  'service_not_found',
  'slack_destination_not_found',
  'slack_not_configured',
  'tracker_not_found',
] as const;

export const listAlerts = defineEndpoint({
  id: 'listAlerts',
  method: 'GET',
  path: '/v1/alerts',
  summary: 'List the alert rules of a project, newest first',
  scope: { of: 'project', id: 'query.project_id' },
  query: Closed({
    project_id: RequestId('The project'),
    ...pageQuery,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: ALERTS_PAGE_SIZE_DEFAULT,
        description: 'Page size',
      }),
    ),
  }),
  responses: {
    200: Closed({ alerts: Type.Array(Alert), next_cursor: NextCursor }),
  },
});

const newAlertFields = {
  project_id: RequestId('The project whose incidents are watched'),
  channel: AlertChannels,
  condition_type: Condition,
  name: Type.Optional(Nullable(AlertName)),
  service_id: Type.Optional(Nullable(ServiceId)),
  services: Type.Optional(Nullable(ServiceNames)),
  environments: Type.Optional(Nullable(Environments)),
  query: Type.Optional(Nullable(AlertQuery)),
  severity_min: Type.Optional(Nullable(SeverityMin)),
  severity_lifecycle_scope: Type.Optional(Nullable(Scope)),
  threshold_count: Type.Optional(Nullable(THRESHOLD_FIELDS.threshold_count)),
  window_minutes: Type.Optional(Nullable(THRESHOLD_FIELDS.window_minutes)),
  threshold_users: Type.Optional(Nullable(THRESHOLD_FIELDS.threshold_users)),
  cooldown_seconds: Type.Optional(CooldownSeconds),
  config: AlertConfig,
  is_enabled: Type.Optional(Type.Boolean({ default: true })),
};
const CONFIG_CONDITION =
  '`config` has exactly the keys of its channel: `to` for `email`, `slack_destination_id` or `webhook_url` for `slack`, `webhook_url` for `discord`, `teams` and `mattermost`, `target_url` and optionally `token` for `ntfy`, `token`, `chat_id` and optionally `thread_id` and `target_url` for `telegram`, `token` and optionally `target_url` for `pagerduty`, `target_url` for `webhook`, `target_url` and `body` for `template`, `tracker_id` for `tracker`.';
const SERVICE_CONDITION = 'A rule has `service_id` or `services`, not both.';
const QUERY_CONDITION =
  '`query` has the filters `is:assigned` and `is:unassigned`, `severity`, `priority`, `assignee` (not `me`), `team`, `service`, `env`, `release`, `type`, `message`, `title`, `file`, `function`, `route`, `http`, `kind`, `trust` and `tag.<key>`, and text.';
const THRESHOLD_CONDITION =
  '`occurrence_threshold` needs `threshold_count` and `window_minutes`, or `threshold_users`; other conditions have none of them.';

export const createAlert = defineEndpoint({
  id: 'createAlert',
  method: 'POST',
  path: '/v1/alerts',
  summary: 'Create an alert rule',
  scope: { of: 'project', id: 'body.project_id' },
  body: Closed(newAlertFields),
  conditions: [CONFIG_CONDITION, SERVICE_CONDITION, QUERY_CONDITION, THRESHOLD_CONDITION],
  responses: { 201: alertAnswer },
  errors: [...receiverProblems, 'resource_limit_reached'],
});

export const updateAlert = defineEndpoint({
  id: 'updateAlert',
  method: 'PATCH',
  path: '/v1/alerts/:id',
  summary: 'Change an alert rule; null clears a field, and a config needs its channel',
  scope: { of: 'record', kind: 'alert', id: 'params.id' },
  params: alertParams,
  body: Closed(
    {
      channel: Type.Optional(AlertChannels),
      condition_type: Type.Optional(Condition),
      name: Type.Optional(Nullable(AlertName)),
      service_id: Type.Optional(Nullable(ServiceId)),
      services: Type.Optional(Nullable(ServiceNames)),
      environments: Type.Optional(Nullable(Environments)),
      query: Type.Optional(Nullable(AlertQuery)),
      severity_min: Type.Optional(Nullable(SeverityMin)),
      severity_lifecycle_scope: Type.Optional(Nullable(Scope)),
      threshold_count: Type.Optional(Nullable(THRESHOLD_FIELDS.threshold_count)),
      window_minutes: Type.Optional(Nullable(THRESHOLD_FIELDS.window_minutes)),
      threshold_users: Type.Optional(Nullable(THRESHOLD_FIELDS.threshold_users)),
      cooldown_seconds: Type.Optional(Nullable(CooldownSeconds)),
      config: Type.Optional(Nullable(AlertConfig)),
      is_enabled: Type.Optional(Nullable(Type.Boolean())),
    },
    { minProperties: 1 },
  ),
  conditions: [
    '`config` is sent together with `channel`, and another channel together with its `config`.',
    CONFIG_CONDITION,
    SERVICE_CONDITION,
    QUERY_CONDITION,
    THRESHOLD_CONDITION,
  ],
  responses: { 200: alertAnswer },
  errors: [...receiverProblems],
});

export const deleteAlert = defineEndpoint({
  id: 'deleteAlert',
  method: 'DELETE',
  path: '/v1/alerts/:id',
  summary: 'Delete an alert rule; pending messages are not sent',
  scope: { of: 'record', kind: 'alert', id: 'params.id' },
  params: alertParams,
  body: 'none',
  responses: { 204: 'empty' },
});

const ALERT_PREVIEW_DAYS_MAX = 30;
/** Transitions that a preview reads at most: the newest. */
export const ALERT_PREVIEW_ROWS_MAX = 2000;
export const ALERT_PREVIEW_MATCHES_MAX = 100;

/** The messages that a rule would have sent (docs/contract/server-additions.md S14). */
export const AlertPreview = Named('AlertPreview', {
  messages: Type.Integer({ minimum: 0 }),
  held_back: Type.Integer({ minimum: 0, description: 'Matches that the cooldown would have held back' }),
  matches: Type.Array(
    Closed({
      incident_id: AnswerId('inc'),
      title: Type.String(),
      occurred_at: Timestamp,
      kind: Type.Enum([...ALERT_TRIGGERS]),
      outcome: Type.Enum(['sent', 'cooldown']),
    }),
    { maxItems: ALERT_PREVIEW_MATCHES_MAX, description: 'Newest first' },
  ),
});
export type AlertPreview = Static<typeof AlertPreview>;

export const previewAlert = defineEndpoint({
  id: 'previewAlert',
  method: 'POST',
  path: '/v1/alerts/preview',
  summary: 'Show what a rule would have sent in recent days; nothing is created or sent',
  scope: { of: 'project', id: 'body.project_id' },
  changesNothing: true,
  body: Closed({
    ...newAlertFields,
    days: Type.Integer({ minimum: 1, maximum: ALERT_PREVIEW_DAYS_MAX, description: 'How far back' }),
  }),
  conditions: [
    CONFIG_CONDITION,
    SERVICE_CONDITION,
    QUERY_CONDITION,
    THRESHOLD_CONDITION,
    `The newest ${ALERT_PREVIEW_ROWS_MAX} transitions are read; for \`occurrence_threshold\`, the incidents that have reached it now.`,
  ],
  responses: { 200: AlertPreview },
  errors: [...receiverProblems],
});
