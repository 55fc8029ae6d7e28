import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listIncidents } from '@culprit/contract/incidents/incidents';
import { QUERY_CHARS_MAX } from '@culprit/contract/search/query-limits';
import { createSignal } from '../ui/signal.ts';
import { incidentsQuery } from './incident-pages.ts';
import {
  API_STATUSES,
  ATTENTION_SEARCH,
  isOneOf,
  type ListSearch,
  SEVERITIES,
  SORTS,
  STATUS_DEFAULT,
  timeOf,
} from './list-search.ts';
import { serverNow } from './transport.ts';

type ListQuery = QueryOf<typeof listIncidents>;

/** Returns the parameters of the request to the API. Spans count from the present, at full minutes. */
export function listQueryOf(search: ListSearch, projectId: string | null, nowMs: number): ListQuery {
  const query: ListQuery = {};
  if (projectId !== null) query.project_id = projectId;
  const status = search.status ?? STATUS_DEFAULT;
  if (isOneOf(API_STATUSES, status)) query.status = status;
  if (isOneOf(SEVERITIES, search.severity)) query.severity = search.severity;
  if (isOneOf(SEVERITIES, search.severity_min)) query.severity_min = search.severity_min;
  if (search.spiking === 'true') query.spiking = true;
  if (search.q !== undefined) query.q = search.q.trim().slice(0, QUERY_CHARS_MAX);
  if (isOneOf(SORTS, search.sort)) query.sort = search.sort;
  if (search.service !== undefined) query.service = search.service;
  if (search.environment !== undefined) query.environment = search.environment;
  const firstSeen = timeOf(search.first_seen, nowMs);
  if (firstSeen !== null) query.first_seen_after = firstSeen;
  return query;
}

/** The list of an address, of one project or of all. */
export function listOf(search: ListSearch, projectId: string | null) {
  const name = new URLSearchParams({ ...search, project: projectId ?? '' }).toString();
  return incidentsQuery(name, () => listQueryOf(search, projectId, serverNow()));
}

/** The list that the person came from, so that its neighbours can be walked. */
export const lastList = createSignal<{ search: ListSearch; projectId: string | null } | null>(null);

/** Lists that are asked for often, by name. */
export const VIEWS: readonly { name: string; search: ListSearch; needs?: string }[] = [
  { name: 'Needs attention', search: ATTENTION_SEARCH },
  { name: 'All open', search: {} },
  { name: 'Regressed', search: { status: 'regressed' } },
  { name: 'New today', search: { first_seen: '24h' } },
  { name: 'Spiking', search: { spiking: 'true' }, needs: 'incident_search' },
  { name: 'Resolved', search: { status: 'resolved' } },
];
