import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { AnswerId, PathId } from '../schemas/identifiers.ts';

export const WATCHERS_SHOWN_MAX = 100;

/** The people who are notified of an incident in addition to its assignee (docs/contract/team-workflow.md 4.1). */
export const IncidentWatch = Type.Object(
  {
    is_watched: Type.Boolean({ description: 'By the caller' }),
    watchers: Type.Array(
      Type.Object(
        { user_id: AnswerId(null), name: Type.String({ description: 'The handle of a person without one' }) },
        { additionalProperties: false },
      ),
      { maxItems: WATCHERS_SHOWN_MAX, description: 'With access to the project, by the time they began' },
    ),
  },
  { additionalProperties: false, title: 'IncidentWatch' },
);
export type IncidentWatch = Static<typeof IncidentWatch>;

const shared = {
  path: '/v1/incidents/:id/watch',
  auth: 'member',
  scope: { of: 'record', kind: 'incident', id: 'params.id' },
  params: Type.Object({ id: PathId('incident') }, { additionalProperties: false }),
  responses: { 200: Type.Object({ watch: IncidentWatch }, { additionalProperties: false }) },
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
