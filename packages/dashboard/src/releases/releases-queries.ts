import {
  getRelease,
  getReleaseActivity,
  listReleaseIncidents,
  listReleases,
  type ReleaseIncidentKind,
} from '@culprit/contract/releases/releases';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { call } from '../api/transport.ts';

const LIMIT = 50;

export interface ReleaseIds {
  id: string;
  releaseId: string;
}

/** Releases of a project, newest first: all, those with a part of the version, or the one with the version. */
export function releasesQuery(id: string, filter: { q?: string; version?: string }) {
  return infiniteQueryOptions({
    queryKey: [listReleases.id, id, filter],
    queryFn: ({ pageParam, signal }) =>
      call(listReleases, {
        params: { id },
        query: { limit: LIMIT, ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...freshness('services'),
  });
}

/** A release with its latest deploys and commits. */
export function releaseQuery(params: ReleaseIds) {
  return queryOptions({
    queryKey: [getRelease.id, params],
    queryFn: ({ signal }) => call(getRelease, { params, signal }),
    ...freshness('services'),
  });
}

/** Reads the activity of a release, by day. */
export function releaseActivityQuery(params: ReleaseIds) {
  return queryOptions({
    queryKey: [getReleaseActivity.id, params],
    queryFn: ({ signal }) => call(getReleaseActivity, { params, query: {}, signal }),
    ...freshness('days'),
  });
}

/** Incidents of a release, latest activity first. */
export function releaseIncidentsQuery(params: ReleaseIds, kind: ReleaseIncidentKind) {
  return infiniteQueryOptions({
    queryKey: [listReleaseIncidents.id, params, kind],
    queryFn: ({ pageParam, signal }) =>
      call(listReleaseIncidents, {
        params,
        query: { kind, limit: LIMIT, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...freshness('incidents'),
  });
}
