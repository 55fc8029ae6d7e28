import { listEventFates } from '@culprit/contract/events/event-fates';
import { type Query, queryOptions } from '@tanstack/react-query';
import { freshness, isLive, pauseAfter } from '../api/freshness.ts';
import { call, serverNow } from '../api/transport.ts';

const HOUR_MS = 3_600_000;

/** The times that can be chosen, and how long one bar of each is. */
export const SPANS = {
  '24h': { label: '24 hours', lengthMs: 24 * HOUR_MS, bucket: 'hour' },
  '7d': { label: '7 days', lengthMs: 7 * 24 * HOUR_MS, bucket: 'hour' },
  '30d': { label: '30 days', lengthMs: 30 * 24 * HOUR_MS, bucket: 'day' },
} as const;
export type Span = keyof typeof SPANS;
export const SPAN_DEFAULT: Span = '24h';
export const SPAN_NAMES: readonly Span[] = ['24h', '7d', '30d'];

/** The time that an address asks for. */
export function spanIn(text: string | undefined): Span {
  return SPAN_NAMES.find((name) => name === text) ?? SPAN_DEFAULT;
}

/** The interval and duration of reads without the stream, for a page that was opened to watch it. */
const WATCHED = { everyMs: 4_000, forMs: 10 * 60_000 };

/**
 * Returns the same freshness as other event counts, but shorter intervals without the stream until a while after the
 * page was opened.
 */
function watchedFreshness(openedMs: number) {
  const { staleTime, refetchInterval } = freshness('fates');
  return {
    staleTime,
    refetchInterval: (query: { state: Query['state'] }): number | false =>
      isLive.get() || performance.now() - openedMs > WATCHED.forMs
        ? refetchInterval(query)
        : pauseAfter(WATCHED.everyMs, query.state.fetchFailureCount),
  };
}

/**
 * Reads the outcomes of the events of a project.
 * @param openedMs when the page was opened, by `performance.now()`
 */
export function fatesQuery(projectId: string, span: Span, openedMs: number) {
  const { lengthMs, bucket } = SPANS[span];
  return queryOptions({
    queryKey: [listEventFates.id, projectId, span],
    queryFn: ({ signal }) => {
      const query = { from: new Date(serverNow() - lengthMs).toISOString(), bucket };
      return call(listEventFates, { params: { id: projectId }, query, signal });
    },
    ...watchedFreshness(openedMs),
  });
}
