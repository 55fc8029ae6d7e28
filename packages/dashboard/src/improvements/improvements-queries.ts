import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  getImprovement,
  getImprovementBundle,
  getImprovementSettings,
  listImprovements,
} from '@culprit/contract/incidents/improvements';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness, pauseWhilePending } from '../api/freshness.ts';
import { call } from '../api/transport.ts';
import { knownSearch } from '../paths.ts';

const PAGE = 50;
/** The parameters in their order in the address. */
const PARAMETERS = ['status', 'severity', 'kind', 'service', 'environment'] as const;
export type ImprovementSearch = { [Name in (typeof PARAMETERS)[number]]?: string };

const STATUSES = ['open', 'snoozed', 'resolved'] as const;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
const KINDS = [
  'slow_request',
  'warning_hotspot',
  'request_failure_pattern',
  'recurring_incident',
  'post_deploy_regression',
] as const;

/** Returns the parameters of an address that are valid; without a status, the open ones. */
export function readImprovementSearch(search: Record<string, unknown>): ImprovementSearch {
  const known = knownSearch(search, PARAMETERS);
  if (known.status === 'open' || (known.status !== 'all' && oneOf(STATUSES, known.status) === null)) {
    delete known.status;
  }
  if (oneOf(SEVERITIES, known.severity) === null) delete known.severity;
  if (oneOf(KINDS, known.kind) === null) delete known.kind;
  return known;
}

export function improvementsQuery(projectId: string, search: ImprovementSearch) {
  return infiniteQueryOptions({
    queryKey: [listImprovements.id, projectId, new URLSearchParams({ ...search }).toString()],
    queryFn: async ({ signal, pageParam }) => {
      const status = search.status === 'all' ? null : (oneOf(STATUSES, search.status) ?? 'open');
      const severity = oneOf(SEVERITIES, search.severity);
      const kind = oneOf(KINDS, search.kind);
      const query: QueryOf<typeof listImprovements> = {
        project_id: projectId,
        limit: PAGE,
        ...(status === null ? {} : { status }),
        ...(severity === null ? {} : { severity }),
        // Recurring incidents are in the list of incidents already, and would hide all others.
        ...(kind === null ? { except_kind: 'recurring_incident' as const } : { kind }),
        ...(search.service === undefined ? {} : { service: search.service }),
        ...(search.environment === undefined ? {} : { environment: search.environment }),
        ...(pageParam === null ? {} : { cursor: pageParam }),
      };
      return await call(listImprovements, { query, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...freshness('services'),
  });
}

export function improvementQuery(id: string) {
  return queryOptions({
    queryKey: [getImprovement.id, id],
    queryFn: async ({ signal }) => (await call(getImprovement, { params: { id }, signal })).improvement,
    ...freshness('services'),
  });
}

export function improvementBundleQuery(projectId: string, improvementId: string) {
  return queryOptions({
    queryKey: [getImprovementBundle.id, improvementId],
    queryFn: async ({ signal }) =>
      await call(getImprovementBundle, { params: { id: projectId, improvementId }, signal }),
    staleTime: freshness('bundle').staleTime,
    refetchInterval: ({ state }) => {
      const isPending = state.data !== undefined && 'status' in state.data && state.data.status === 'pending';
      return isPending ? pauseWhilePending(state.dataUpdateCount - 1) : false;
    },
  });
}

export function improvementSettingsQuery(projectId: string) {
  return queryOptions({
    queryKey: [getImprovementSettings.id, projectId],
    queryFn: async ({ signal }) => await call(getImprovementSettings, { params: { id: projectId }, signal }),
    ...freshness('settings'),
  });
}

function oneOf<const Word extends string>(words: readonly Word[], word: string | undefined): Word | null {
  return words.find((each) => each === word) ?? null;
}
