import Type from 'typebox';
import { defineEndpoint } from '../endpoints/endpoint.ts';
import { Closed } from '../schemas/closed-object.ts';
import { RequestId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { QUERY_CHARS_MAX } from './query-limits.ts';

/** The limit of completions for the last term of a query. */
export const SUGGESTIONS_MAX = 10;

export const readIncidentQuery = defineEndpoint({
  id: 'readIncidentQuery',
  method: 'GET',
  path: '/v1/incidents/query',
  summary: 'Explain a query, and suggest how to complete its last term',
  scope: { of: 'projects', id: 'query.project_id' },
  query: Closed({
    project_id: Type.Optional(RequestId('Project whose values are suggested')),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: QUERY_CHARS_MAX })),
  }),
  responses: {
    200: Closed({
      terms: Type.Array(
        Closed({
          text: Type.String({ description: 'Text of the term' }),
          key: Nullable(Type.String({ description: 'Key of a filter; null for text' })),
          is_negated: Type.Boolean(),
          is_text: Type.Boolean(),
        }),
      ),
      problem: Nullable(
        Type.String({ description: 'Why a list refuses the query, or the key that was probably meant' }),
      ),
      suggestions: Type.Array(
        Closed({ text: Type.String({ description: 'Replaces the last term' }), hint: Type.String() }),
        { maxItems: SUGGESTIONS_MAX },
      ),
    }),
  },
});
