import { listIncidents } from '@culprit/contract/incidents/incidents';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { listQueryOf } from './incident-list.ts';
import { ATTENTION_SEARCH } from './list-search.ts';
import { call, serverNow } from './transport.ts';

const COUNTED_MAX = 50;
/** Apart from the lists: a figure is not read again with each change that the stream reports. */
export const ATTENTION_COUNT = 'attention count';

/** The number of these incidents, up to a limit. */
export function attentionCountQuery(projectId: string) {
  return queryOptions({
    queryKey: [ATTENTION_COUNT, projectId],
    queryFn: async ({ signal }) => {
      // In the order of the list every incident would be looked at; in that of the index the first 50 are enough.
      const { sort: _, ...search } = ATTENTION_SEARCH;
      const query = { ...listQueryOf(search, projectId, serverNow()), limit: COUNTED_MAX };
      const { incidents, next_cursor: next } = await call(listIncidents, { query, signal });
      return { count: incidents.length, hasMore: next !== null };
    },
    ...freshness('projects'),
  });
}
