import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Closed } from '../schemas/closed-object.ts';
import { RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { BULK_IDS_MAX, Incident } from './incidents.ts';
import { PRIORITY_LEVELS } from './triage-words.ts';

/** The changes of a request; a field that is absent stays. */
export const TriageChange = Closed(
  {
    assignee: Type.Optional(
      Nullable(
        Closed(
          {
            user_id: Type.Optional(RequestId('Id of a person who has access to the project')),
            team_id: Type.Optional(RequestId('Id of a team with a member who has access to the project')),
          },
          {
            minProperties: 1,
            maxProperties: 1,
            description: 'One of the fields',
          },
        ),
      ),
    ),
    priority: Type.Optional(
      Nullable(Type.Enum([...PRIORITY_LEVELS], { description: 'Null lets the rules set the priority' })),
    ),
  },
  { minProperties: 1, description: 'At least one field' },
);
export type TriageChange = Static<typeof TriageChange>;

export const incidentIds = Type.Array(RequestId('Id of an incident'), {
  minItems: 1,
  maxItems: BULK_IDS_MAX,
  description: 'Duplicates are ignored',
});

export const updateIncident = defineEndpoint({
  id: 'updateIncident',
  method: 'PATCH',
  path: '/v1/incidents/:id',
  summary: 'Assign an incident, or set its priority; what is set already changes nothing',
  ...OF_INCIDENT,
  body: TriageChange,
  responses: { 200: Closed({ incident: Incident }) },
  errors: ['assignee_not_found'],
});

export const updateIncidents = defineEndpoint({
  id: 'updateIncidents',
  method: 'PATCH',
  path: '/v1/incidents',
  summary: 'Assign several incidents, or set their priority, all or none',
  scope: { of: 'records', kind: 'incident', ids: 'body.incident_ids' },
  body: Closed({ incident_ids: incidentIds, set: TriageChange }),
  responses: { 200: Closed({ incidents: Type.Array(Incident) }) },
  errors: ['assignee_not_found'],
});
