import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { ALERT_TRIGGERS } from './alerts.ts';

/** Why a rule sent something, or did not (docs/contract/notifications.md 1.21). */
export const ALERT_VERDICTS = [
  'sent',
  'joined',
  'snoozed',
  'created_later',
  'disabled',
  'no_target',
  'not_this_condition',
  'other_service',
  'other_environment',
  'below_severity',
  'query_not_matched',
  'disabled_target',
  'changed_since',
  'cooldown',
  'not_sent',
] as const;
export type AlertVerdictWord = (typeof ALERT_VERDICTS)[number];

/** The days for which messages are kept; the result of an earlier transition is not known. */
export const VERDICT_DAYS = 30;
/** Newest transitions of an incident that verdicts are about. */
export const VERDICT_TRANSITIONS_MAX = 10;
export const VERDICTS_MAX = 200;

export const AlertVerdict = Type.Object(
  {
    at: Timestamp,
    transition: Type.Enum([...ALERT_TRIGGERS]),
    alert_id: AnswerId('alt'),
    alert_name: Nullable(Type.String()),
    channel: Type.String(),
    verdict: Type.Enum([...ALERT_VERDICTS]),
    detail: Type.String({ description: 'The deciding values, as a sentence' }),
    alert_delivery_id: Nullable(AnswerId(null)),
  },
  { additionalProperties: false, title: 'AlertVerdict' },
);
export type AlertVerdict = Static<typeof AlertVerdict>;

export const listAlertVerdicts = defineEndpoint({
  id: 'listAlertVerdicts',
  method: 'GET',
  path: '/v1/incidents/:id/alert-verdicts',
  summary: 'Show why each alert rule did or did not send a message about an incident',
  auth: 'member',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  group: 'alerts',
  params: Type.Object({ id: PathId('incident') }, { additionalProperties: false }),
  conditions: [
    `The newest ${VERDICT_TRANSITIONS_MAX} transitions of the last ${VERDICT_DAYS} days, and at most ${VERDICTS_MAX} verdicts, are shown.`,
  ],
  responses: {
    200: Type.Object(
      {
        verdicts: Type.Array(AlertVerdict, {
          maxItems: VERDICTS_MAX,
          description: 'Newest transition first',
        }),
      },
      { additionalProperties: false },
    ),
  },
});
