import { QUERY_CHARS_MAX } from '@culprit/contract/search/query-limits';
import { readIncidentQuery } from '@culprit/contract/search/query-reading';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './transport.ts';

/** Reads how the server understands a query, and the completions of its last term. */
export function queryReading(q: string, projectId: string | null) {
  return queryOptions({
    queryKey: [readIncidentQuery.id, projectId, q],
    queryFn: ({ signal }) => {
      const query = {
        ...(projectId === null ? {} : { project_id: projectId }),
        ...(q === '' ? {} : { q: q.slice(0, QUERY_CHARS_MAX) }),
      };
      return call(readIncidentQuery, { query, signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
    refetchInterval: false as const,
  });
}
