import { listProbes } from '@culprit/contract/capture/probes';
import { listProbeResults } from '@culprit/contract/events/recent-events';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { call } from '../api/transport.ts';

/** The probes that are on, newest first. */
export function probesQuery(projectId: string) {
  return queryOptions({
    queryKey: [listProbes.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listProbes, { params: { id: projectId }, query, signal }),
        ({ probes }) => probes,
      ),
    ...freshness('probes'),
  });
}

/** Reads the results of probes in the last 7 days, newest first. */
export function probeResultsQuery(projectId: string, isActive: boolean) {
  return infiniteQueryOptions({
    queryKey: [listProbeResults.id, projectId],
    queryFn: ({ signal, pageParam }) =>
      call(listProbeResults, {
        params: { id: projectId },
        query: pageParam === null ? {} : { cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    // Results arrive while one is on, and a little after.
    ...freshness(isActive ? 'probes' : 'deliveries'),
  });
}
