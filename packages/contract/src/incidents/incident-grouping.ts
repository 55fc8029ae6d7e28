import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId, RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { GroupingExplanation } from './grouping-explanation.ts';

/** Incidents that one call merges or takes out at most. */
export const MERGED_INCIDENTS_MAX = 50;
/** Keys that an answer shows at most, the newest aliases first. */
export const SHOWN_KEYS_MAX = 200;

const SlotId = Type.String({ pattern: '^[0-9a-f]{32}$' });

const GroupingSlot = Named('GroupingSlot', {
  slot_id: SlotId,
  template: Type.String({ description: 'The message, with `[…]` where different words were seen' }),
  words: Type.Array(Type.String(), { description: 'Words that were seen there first, in lower case' }),
  holds_values: Type.Boolean({ description: 'Numbers, ids or other values were seen there too' }),
  only_browsers: Type.Boolean({
    description: 'Learned only from browser events, and applied only to them',
  }),
  opened_at: Timestamp,
  opened_by_event_id: Type.String(),
});

const GroupingKey = Named('GroupingKey', {
  fingerprint_version: Type.String(),
  fingerprint: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  origin: Type.Enum(['own', 'merge', 'slot', 'regrouping', 'mapped', 'unmapped'], {
    description:
      'The key of the incident itself; one of an incident that a person merged into it; one that a slot brought; one that a change of stack rules gave to its events',
  }),
  since: Nullable(Timestamp),
  from_incident_id: Nullable(AnswerId('inc')),
  slot_id: Nullable(SlotId),
});

/** The keys, members and slots that bring events to an incident (docs/contract/grouping.md 6). */
export const IncidentGrouping = Named('IncidentGrouping', {
  incident_id: AnswerId('inc'),
  merged_into: Nullable(AnswerId('inc')),
  members: Type.Array(AnswerId('inc'), {
    description: 'Incidents that were merged into this one; each can be removed again',
  }),
  ...GroupingExplanation,
  keys: Type.Array(GroupingKey),
  slots: Type.Array(GroupingSlot, {
    description: 'Places of the message in which different words are taken for values; each can be closed',
  }),
});
export type IncidentGrouping = Static<typeof IncidentGrouping>;

const groupingAnswer = Closed({ grouping: IncidentGrouping });

export const getIncidentGrouping = defineEndpoint({
  id: 'getIncidentGrouping',
  method: 'GET',
  path: '/v1/incidents/:id/grouping',
  summary: 'Get the grouping keys of an incident, and what was merged into it',
  ...OF_INCIDENT,
  responses: { 200: groupingAnswer },
});

export const mergeIncidents = defineEndpoint({
  id: 'mergeIncidents',
  method: 'POST',
  path: '/v1/incidents/merge',
  summary: 'Merge incidents of one service into the oldest of them, which takes their events from now on',
  scope: { of: 'records', kind: 'incident', ids: 'body.incident_ids' },
  role: 'admin',
  body: Closed({
    incident_ids: Type.Array(RequestId('Id of an incident'), {
      minItems: 2,
      maxItems: MERGED_INCIDENTS_MAX,
      description: 'Duplicates are ignored',
    }),
  }),
  responses: { 200: groupingAnswer },
  errors: ['incidents_of_different_services'],
});

export const splitIncident = defineEndpoint({
  id: 'splitIncident',
  method: 'POST',
  path: '/v1/incidents/:id/split',
  summary: 'Undo merges into this incident, and close slots permanently',
  ...OF_INCIDENT,
  role: 'admin',
  body: Closed(
    {
      incident_ids: Type.Optional(
        Type.Array(RequestId('Id of an incident that was merged into this one'), {
          minItems: 1,
          maxItems: MERGED_INCIDENTS_MAX,
          description: 'One that a slot brought closes the slot',
        }),
      ),
      slot_ids: Type.Optional(Type.Array(SlotId, { minItems: 1, maxItems: MERGED_INCIDENTS_MAX })),
    },
    { minProperties: 1 },
  ),
  responses: { 200: groupingAnswer },
  errors: ['slot_not_found'],
});
