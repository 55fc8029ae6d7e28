import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed } from '../schemas/closed-object.ts';
import { PathId } from '../schemas/identifiers.ts';
import { RequestTimestamp, Timestamp } from '../schemas/timestamp-schemas.ts';
import { incidentIds } from './incident-triage.ts';
import { Incident } from './incidents.ts';
import { WAKE_CAUSES } from './triage-words.ts';

/** The longest snooze, in days. */
export const SNOOZE_DAYS_MAX = 365;
/** Days over which a preview plays a snooze. */
export const SNOOZE_PREVIEW_DAYS = 30;
/** Wakes that a preview names. */
export const PREVIEWED_WAKES_MAX = 20;

const conditions = {
  until: RequestTimestamp,
  for_occurrences: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Wakes after this many more occurrences' }),
  ),
  for_users: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'Wakes after this many more affected users' }),
  ),
  until_next_release: Type.Optional(
    Type.Boolean({ description: 'Wakes with the first occurrence after the next deploy of its service' }),
  ),
  wakes_on_escalation: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Wakes with a spike, a higher severity, or ten times the occurrences of an hour',
    }),
  ),
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
};

const rules = [
  `\`until\` lies 1 minute to ${SNOOZE_DAYS_MAX} days ahead. The first condition that is met wakes the incident.`,
];

const SnoozeRequest = Closed(conditions);
export type SnoozeRequest = Static<typeof SnoozeRequest>;

const params = Closed({ id: PathId('incident') });
const one = Closed({ incident: Incident });
const several = Closed({ incidents: Type.Array(Incident) });

export const snoozeIncident = defineEndpoint({
  id: 'snoozeIncident',
  method: 'POST',
  path: '/v1/incidents/:id/snooze',
  summary: 'Snooze an incident: no alert until a condition wakes it; snoozing again replaces the conditions',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params,
  body: SnoozeRequest,
  conditions: rules,
  responses: { 200: one },
  errors: ['incident_resolved'],
});

export const wakeIncident = defineEndpoint({
  id: 'wakeIncident',
  method: 'POST',
  path: '/v1/incidents/:id/wake',
  summary: 'End the snooze of an incident; does not change one that is awake',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params,
  body: 'none',
  responses: { 200: one },
});

export const snoozeIncidents = defineEndpoint({
  id: 'snoozeIncidents',
  method: 'POST',
  path: '/v1/incidents/snooze',
  summary: 'Snooze several incidents, all or none',
  scope: { of: 'records', kind: 'incident', ids: 'body.incident_ids' },
  body: Closed({ incident_ids: incidentIds, ...conditions }),
  conditions: rules,
  responses: { 200: several },
  errors: ['incident_resolved'],
});

export const wakeIncidents = defineEndpoint({
  id: 'wakeIncidents',
  method: 'POST',
  path: '/v1/incidents/wake',
  summary: 'End the snooze of several incidents, all or none',
  scope: { of: 'records', kind: 'incident', ids: 'body.incident_ids' },
  body: Closed({ incident_ids: incidentIds }),
  responses: { 200: several },
});

export const previewSnooze = defineEndpoint({
  id: 'previewSnooze',
  method: 'POST',
  path: '/v1/incidents/:id/snooze-preview',
  summary: `Show what a snooze would have done over the last ${SNOOZE_PREVIEW_DAYS} days, from counts of hours`,
  changesNothing: true,
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params,
  body: SnoozeRequest,
  conditions: [
    ...rules,
    'The simulation begins at the start of that time and restarts whenever the incident would have woken. It does not include users and deploys.',
  ],
  responses: {
    200: Closed({
      hidden: Type.Integer({ minimum: 0, description: 'Occurrences while it would have been snoozed' }),
      would_have_woken: Type.Array(Closed({ at: Timestamp, because: Type.Enum([...WAKE_CAUSES]) }), {
        maxItems: PREVIEWED_WAKES_MAX,
        description: 'The first of them; `at` is the beginning of an hour',
      }),
    }),
  },
});
