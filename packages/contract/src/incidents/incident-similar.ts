import Type, { type Static } from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { OF_INCIDENT } from '../endpoints/subjects.ts';
import { Named } from '../schemas/closed-object.ts';
import { Incident } from './incidents.ts';

export const SIMILAR_INCIDENTS_MAX = 5;

/** Why two incidents are alike, the strongest first. */
const SIMILARITY_REASONS = [
  'same_frame',
  'same_client_fingerprint',
  'same_message',
  'same_file',
  'same_error_type',
  'same_time',
] as const;
export type SimilarityReason = (typeof SIMILARITY_REASONS)[number];

/** An incident that may have the same cause (docs/contract/server-additions.md S20). */
export const SimilarIncident = Named('SimilarIncident', {
  incident: Incident,
  reasons: Type.Array(Type.Enum([...SIMILARITY_REASONS]), {
    description:
      'The first in-app frame in the same function, or only in the same file; the same fingerprint that the client gave its events, which decides nothing by itself; the same message but for its values; the same error type; first seen within ten minutes',
  }),
  score: Type.Number({ minimum: 0, maximum: 1 }),
});
export type SimilarIncident = Static<typeof SimilarIncident>;

export const listSimilarIncidents = defineEndpoint({
  id: 'listSimilarIncidents',
  method: 'GET',
  path: '/v1/incidents/:id/similar',
  summary: 'List the incidents of the same project that are most like this one, with the reasons',
  ...OF_INCIDENT,
  conditions: [
    'Searches the 2,000 most recently seen incidents of the project, except those merged with this one.',
  ],
  responses: {
    200: Named('SimilarIncidents', {
      similar: Type.Array(SimilarIncident, { maxItems: SIMILAR_INCIDENTS_MAX }),
    }),
  },
});
