import { getIncidentBundle, getIncidentReproduction } from '@culprit/contract/incidents/incident-bundle';
import { getIncident, type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import { listIncidentLogs } from '@culprit/contract/incidents/logs';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness, pauseWhilePending } from './freshness.ts';
import type { IncidentPage } from './incident-pages.ts';
import { queryClient } from './query-client.ts';
import { call } from './transport.ts';

const PAGE = 100;

export function incidentQuery(id: string) {
  return queryOptions({
    queryKey: [getIncident.id, id],
    queryFn: async ({ signal }) => {
      const { incident } = await call(getIncident, { params: { id }, signal });
      requestMovedBundle(id, incident);
      return incident;
    },
    // A row of a list has everything that the head of the page shows.
    placeholderData: () => rowInCache(id),
    ...freshness('incident'),
  });
}

function rowInCache(id: string): Incident | undefined {
  const lists = queryClient.getQueriesData<{ pages: IncidentPage[] }>({ queryKey: [listIncidents.id] });
  for (const [, list] of lists) {
    for (const page of list?.pages ?? []) {
      const found = page.incidents.find((incident) => incident.incident_id === id);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Requests the documents of an incident again that has moved since it was read: the server builds them for readers. */
function requestMovedBundle(id: string, now: Incident): void {
  const before = queryClient.getQueryData<Incident>([getIncident.id, id]);
  if (before === undefined) return;
  if (before.occurrence_count === now.occurrence_count && before.status === now.status) return;
  for (const endpoint of [getIncidentBundle, getIncidentReproduction])
    void queryClient.invalidateQueries({ queryKey: [endpoint.id, id] });
}

export function bundleQuery(id: string) {
  return queryOptions({
    queryKey: [getIncidentBundle.id, id],
    queryFn: async ({ signal }) => await call(getIncidentBundle, { params: { id }, signal }),
    staleTime: freshness('bundle').staleTime,
    refetchInterval: ({ state }) => {
      const isPending = state.data !== undefined && 'status' in state.data && state.data.status === 'pending';
      return isPending ? pauseWhilePending(state.dataUpdateCount - 1) : false;
    },
  });
}

/** Every event that is attached, newest first. */
export function incidentLogsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [listIncidentLogs.id, id],
    queryFn: async ({ signal, pageParam }) =>
      await call(listIncidentLogs, {
        params: { id },
        query: { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: freshness('bundle').staleTime,
  });
}
