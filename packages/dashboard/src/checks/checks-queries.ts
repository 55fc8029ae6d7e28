import { getAvailabilityCheck, listAvailabilityResults } from '@culprit/contract/monitor/availability-checks';
import { getCheckLatency, listDailyRollups } from '@culprit/contract/monitor/check-history';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { call, serverNow } from '../api/transport.ts';

const RUNS_PAGE = 20;

export interface CheckIds {
  id: string;
  checkId: string;
}

export function checkQuery(params: CheckIds) {
  return queryOptions({
    queryKey: [getAvailabilityCheck.id, params.id, params.checkId],
    queryFn: async ({ signal }) => await call(getAvailabilityCheck, { params, signal }),
    ...freshness('checks'),
  });
}

/** The last 31 days, latest first. */
export function daysQuery(params: CheckIds) {
  return queryOptions({
    queryKey: [listDailyRollups.id, params.id, params.checkId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listDailyRollups, { params, query, signal }),
        ({ daily_rollups: days }) => days,
      ),
    ...freshness('days'),
  });
}

export function latencyQuery(params: CheckIds, spanMs: number) {
  return queryOptions({
    queryKey: [getCheckLatency.id, params.id, params.checkId, spanMs],
    queryFn: async ({ signal }) => {
      const to = serverNow();
      const query = { from: new Date(to - spanMs).toISOString(), to: new Date(to).toISOString() };
      const answer = await call(getCheckLatency, { params, query, signal });
      return { ...answer, ...query };
    },
    ...freshness('services'),
  });
}

/** The runs of the last 30 days, newest first. */
export function runsQuery(params: CheckIds) {
  return infiniteQueryOptions({
    queryKey: [listAvailabilityResults.id, params.id, params.checkId],
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: RUNS_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return await call(listAvailabilityResults, { params, query, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...freshness('checks'),
  });
}
