import {
  getHeartbeat,
  type Heartbeat,
  listHeartbeatDays,
  listHeartbeatRuns,
  listHeartbeats,
} from '@culprit/contract/monitor/heartbeats';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { call } from '../api/transport.ts';

const ORDER = ['failing', 'unknown', 'passing', 'paused'];
const RUNS_PAGE = 20;

export interface HeartbeatIds {
  id: string;
  heartbeatId: string;
}

/** Every heartbeat of a project, the failing ones first. */
export function heartbeatsQuery(projectId: string) {
  return queryOptions({
    queryKey: [listHeartbeats.id, projectId],
    queryFn: async ({ signal }) => {
      const heartbeats = await readAllPages(
        (query) => call(listHeartbeats, { params: { id: projectId }, query, signal }),
        ({ heartbeats: rows }) => rows,
      );
      return heartbeats.toSorted(byUrgency);
    },
    ...freshness('deliveries'),
  });
}

function byUrgency(a: Heartbeat, b: Heartbeat): number {
  return ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || a.name.localeCompare(b.name);
}

export function heartbeatQuery(params: HeartbeatIds) {
  return queryOptions({
    queryKey: [getHeartbeat.id, params.id, params.heartbeatId],
    queryFn: async ({ signal }) => await call(getHeartbeat, { params, signal }),
    ...freshness('deliveries'),
  });
}

/** The days of the last 90 on which a run ended, latest first. */
export function heartbeatDaysQuery(params: HeartbeatIds) {
  return queryOptions({
    queryKey: [listHeartbeatDays.id, params.id, params.heartbeatId],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(listHeartbeatDays, { params, query, signal }),
        ({ daily_rollups: days }) => days,
      ),
    ...freshness('days'),
  });
}

/** The runs of the last 30 days, newest first. */
export function heartbeatRunsQuery(params: HeartbeatIds) {
  return infiniteQueryOptions({
    queryKey: [listHeartbeatRuns.id, params.id, params.heartbeatId],
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: RUNS_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return await call(listHeartbeatRuns, { params, query, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...freshness('deliveries'),
  });
}
