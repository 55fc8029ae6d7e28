import { listEventFates } from '@culprit/contract/events/event-fates';
import { getProjectOccurrences } from '@culprit/contract/incidents/occurrences';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { listQueryOf } from '../api/incident-list.ts';
import { incidentsQuery } from '../api/incident-pages.ts';
import { ATTENTION_SEARCH } from '../api/list-search.ts';
import { call, serverNow } from '../api/transport.ts';

const DAYS = 14;
const DAY_MS = 86_400_000;

/** Rows of incidents that are shown. */
export const ATTENTION_SHOWN = 7;

export function attentionQuery(projectId: string) {
  return incidentsQuery(
    `overview of ${projectId}`,
    () => listQueryOf(ATTENTION_SEARCH, projectId, serverNow()),
    ATTENTION_SHOWN,
  );
}

/** Reads the occurrences of the last two weeks, and the deploys in that time. */
export function occurrencesQuery(projectId: string) {
  return queryOptions({
    queryKey: [getProjectOccurrences.id, projectId, DAYS],
    queryFn: async ({ signal }) => {
      const query = { from: new Date(serverNow() - DAYS * DAY_MS).toISOString() };
      return await call(getProjectOccurrences, { params: { id: projectId }, query, signal });
    },
    ...freshness('services'),
  });
}

/** Reads the outcomes of the events of the last 24 hours. */
export function dayFatesQuery(projectId: string) {
  return queryOptions({
    queryKey: [listEventFates.id, projectId, '24h'],
    queryFn: async ({ signal }) => await call(listEventFates, { params: { id: projectId }, signal }),
    ...freshness('services'),
  });
}
