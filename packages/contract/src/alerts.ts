import Type, { type Static } from 'typebox';
import { EMAIL_LENGTH_MAX } from './email-address.ts';
import { defineEndpoint } from './endpoint.ts';
import { AnswerId, PathId, RequestId } from './identifiers.ts';
import { Nullable } from './nullable.ts';
import { NextCursor, pageQuery } from './page-schemas.ts';
import { Timestamp } from './timestamp-schemas.ts';

export const ALERT_CHANNELS = ['email', 'slack', 'discord', 'webhook'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

export const ALERT_CONDITIONS = [
  'new_incident',
  'incident_regressed',
  'error_spike',
  'severity_threshold',
  'regression_after_deploy',
] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export const ALERT_SCOPES = ['new_incident', 'incident_regressed', 'both'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

export const COOLDOWN_SECONDS_MAX = 604_800;
export const ALERTS_PAGE_SIZE_DEFAULT = 50;
const TARGET_LENGTH_MAX = 2000;

/** Where an alert goes (notifications.md 1.4). Which keys there are follows from the channel. */
export const AlertConfig = Type.Object(
  {
    to: Type.Optional(
      Type.String({ maxLength: EMAIL_LENGTH_MAX, description: '`email`: exactly one address' }),
    ),
    slack_destination_id: Type.Optional(RequestId('`slack`: a connected destination')),
    webhook_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TARGET_LENGTH_MAX,
        description: "`slack` or `discord`: the address of the channel's incoming webhook",
      }),
    ),
    target_url: Type.Optional(
      Type.String({ minLength: 1, maxLength: TARGET_LENGTH_MAX, description: '`webhook`: the receiver' }),
    ),
  },
  {
    additionalProperties: false,
    title: 'AlertConfig',
    description: 'Exactly the one key of the channel; empty after it was cleared',
  },
);
export type AlertConfig = Static<typeof AlertConfig>;

const Channel = Type.Enum([...ALERT_CHANNELS]);
const Condition = Type.Enum([...ALERT_CONDITIONS]);
const Scope = Type.Enum([...ALERT_SCOPES]);
const SeverityMin = Type.Enum(['low', 'medium', 'high', 'critical']);
const CooldownSeconds = Type.Integer({ minimum: 0, maximum: COOLDOWN_SECONDS_MAX });

/** An alert rule (notifications.md 1.2). */
export const Alert = Type.Object(
  {
    alert_id: AnswerId('alt'),
    project_id: AnswerId('proj'),
    created_by_user_id: AnswerId(null),
    service_id: Nullable(AnswerId(null)),
    channel: Channel,
    condition_type: Condition,
    severity_min: Nullable(SeverityMin),
    severity_lifecycle_scope: Nullable(Scope),
    cooldown_seconds: CooldownSeconds,
    config: AlertConfig,
    is_enabled: Type.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { additionalProperties: false, title: 'Alert' },
);
export type Alert = Static<typeof Alert>;

const ServiceId = RequestId('A service of the project');
const alertParams = Type.Object({ id: PathId('alert') }, { additionalProperties: false });
const alertAnswer = Type.Object({ alert: Alert }, { additionalProperties: false });

/** What naming a receiver can end with, when a rule is made and when it is changed. */
const receiverProblems = [
  'blocked_target',
  'upgrade_required',
  'service_not_found',
  'slack_destination_not_found',
  'slack_not_configured',
  'shared_access_suspended',
] as const;

export const listAlerts = defineEndpoint({
  id: 'listAlerts',
  method: 'GET',
  path: '/v1/alerts',
  summary: 'List the alert rules of a project, newest first',
  auth: 'member',
  query: Type.Object(
    {
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
    },
    { additionalProperties: false },
  ),
  responses: {
    200: Type.Object({ alerts: Type.Array(Alert), next_cursor: NextCursor }, { additionalProperties: false }),
  },
  errors: ['project_not_found', 'shared_access_suspended'],
});

export const createAlert = defineEndpoint({
  id: 'createAlert',
  method: 'POST',
  path: '/v1/alerts',
  summary: 'Create an alert rule',
  auth: 'member',
  body: Type.Object(
    {
      project_id: RequestId('The project whose incidents are watched'),
      channel: Channel,
      condition_type: Condition,
      service_id: Type.Optional(Nullable(ServiceId)),
      severity_min: Type.Optional(Nullable(SeverityMin)),
      severity_lifecycle_scope: Type.Optional(Nullable(Scope)),
      cooldown_seconds: Type.Optional(CooldownSeconds),
      config: AlertConfig,
      is_enabled: Type.Optional(Type.Boolean({ default: true })),
    },
    { additionalProperties: false },
  ),
  responses: { 201: alertAnswer },
  errors: [...receiverProblems, 'project_not_found', 'resource_limit_reached'],
});

export const updateAlert = defineEndpoint({
  id: 'updateAlert',
  method: 'PATCH',
  path: '/v1/alerts/:id',
  summary: 'Change an alert rule; null clears a field, a config comes with its channel',
  auth: 'member',
  params: alertParams,
  body: Type.Object(
    {
      channel: Type.Optional(Channel),
      condition_type: Type.Optional(Condition),
      service_id: Type.Optional(Nullable(ServiceId)),
      severity_min: Type.Optional(Nullable(SeverityMin)),
      severity_lifecycle_scope: Type.Optional(Nullable(Scope)),
      cooldown_seconds: Type.Optional(Nullable(CooldownSeconds)),
      config: Type.Optional(Nullable(AlertConfig)),
      is_enabled: Type.Optional(Nullable(Type.Boolean())),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  responses: { 200: alertAnswer },
  errors: [...receiverProblems, 'alert_not_found'],
});

export const deleteAlert = defineEndpoint({
  id: 'deleteAlert',
  method: 'DELETE',
  path: '/v1/alerts/:id',
  summary: 'Delete an alert rule; messages of it that wait are not sent',
  auth: 'member',
  params: alertParams,
  body: 'none',
  responses: { 204: 'empty' },
  errors: ['alert_not_found', 'shared_access_suspended'],
});
