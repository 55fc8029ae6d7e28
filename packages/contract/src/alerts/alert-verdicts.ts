import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { NextCursor, pageQuery } from '../schemas/page-schemas.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { ALERT_TRIGGERS } from './alerts.ts';

/** Why a rule sent something, or did not (docs/contract/notifications.md 1.21). */
const ALERT_VERDICTS = [
  'sent',
  'joined',
  'allowance',
  'snoozed',
  'created_later',
  'disabled',
  'no_target',
  'not_this_condition',
  'other_service',
  'other_environment',
  'below_severity',
  'query_not_matched',
  'below_threshold',
  'plan',
  'disabled_target',
  'changed_since',
  'cooldown',
  'not_sent',
] as const;
export type AlertVerdictWord = (typeof ALERT_VERDICTS)[number];

/** The days for which messages are kept; the result of an earlier transition is not known. */
export const VERDICT_DAYS = 30;

export const AlertVerdict = Named('AlertVerdict', {
  at: Timestamp,
  incident_id: AnswerId('inc'),
  short_id: Type.String({ description: 'The number of the incident, such as `CHECKOUT-42`' }),
  title: Type.String({ description: 'Of the incident' }),
  transition: Type.Enum([...ALERT_TRIGGERS]),
  alert_id: AnswerId('alt'),
  alert_name: Nullable(Type.String()),
  channel: Type.String(),
  verdict: Type.Enum([...ALERT_VERDICTS]),
  detail: Type.String({ description: 'The deciding values, as a sentence' }),
  alert_delivery_id: Nullable(AnswerId(null)),
});
export type AlertVerdict = Static<typeof AlertVerdict>;

const verdicts = Closed({
  verdicts: Type.Array(AlertVerdict, { description: 'Newest transition first' }),
  next_cursor: NextCursor,
});
const conditions = [`The transitions of the last ${VERDICT_DAYS} days are shown.`];

export const listAlertVerdicts = defineEndpoint({
  id: 'listAlertVerdicts',
  method: 'GET',
  path: '/v1/incidents/:id/alert-verdicts',
  summary: 'Show why each alert rule did or did not send a message about an incident',
  ...OF_INCIDENT,
  group: 'alerts',
  query: Closed(pageQuery),
  conditions,
  responses: { 200: verdicts },
});

export const listRuleVerdicts = defineEndpoint({
  id: 'listRuleVerdicts',
  method: 'GET',
  path: '/v1/alerts/:id/verdicts',
  summary: 'Show for each change of an incident why an alert rule sent a message about it, or did not',
  scope: { of: 'record', kind: 'alert', id: 'params.id' },
  params: Closed({ id: PathId('alert') }),
  query: Closed(pageQuery),
  conditions,
  responses: { 200: verdicts },
});
