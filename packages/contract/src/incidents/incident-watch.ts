import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';

export const WATCHERS_SHOWN_MAX = 100;

/** The people who are notified of an incident in addition to its assignee (docs/contract/team-workflow.md 4.1). */
export const IncidentWatch = Named('IncidentWatch', {
  is_watched: Type.Boolean({ description: 'By the caller' }),
  watchers: Type.Array(
    Closed({
      user_id: AnswerId(null),
      name: Type.String({ description: 'The handle of a person without one' }),
    }),
    { maxItems: WATCHERS_SHOWN_MAX, description: 'With access to the project, by the time they began' },
  ),
});
export type IncidentWatch = Static<typeof IncidentWatch>;

const shared = {
  path: '/v1/incidents/:id/watch',
  ...OF_INCIDENT,
  responses: { 200: Closed({ watch: IncidentWatch }) },
} as const;

export const getIncidentWatch = defineEndpoint({
  ...shared,
  id: 'getIncidentWatch',
  method: 'GET',
  summary: 'Show who watches an incident',
});

export const watchIncident = defineEndpoint({
  ...shared,
  id: 'watchIncident',
  method: 'POST',
  summary: 'Watch an incident: its notes, regressions and wake-ups are mailed to the caller',
  body: 'none',
});

export const unwatchIncident = defineEndpoint({
  ...shared,
  id: 'unwatchIncident',
  method: 'DELETE',
  summary: 'Stop watching an incident',
  body: 'none',
});
