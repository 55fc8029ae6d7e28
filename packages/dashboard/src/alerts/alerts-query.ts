import { listAlertDeliveries } from '@culprit/contract/alerts/alert-deliveries';
import type { Alert } from '@culprit/contract/alerts/alerts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { alertsQuery } from '../api/alerts.ts';
import { deliveryFreshness, freshness } from '../api/freshness.ts';
import { queryClient } from '../api/query-client.ts';
import { call } from '../api/transport.ts';

/** Puts a rule that was saved in the place of the one that was read. */
export function keepAlert(saved: Alert): void {
  queryClient.setQueryData(alertsQuery(saved.project_id).queryKey, (alerts) =>
    alerts?.map((each) => (each.alert_id === saved.alert_id ? saved : each)),
  );
}

/** Reads the deliveries of a rule, page by page, newest first. */
export function alertDeliveriesQuery(alertId: string) {
  return infiniteQueryOptions({
    queryKey: [listAlertDeliveries.id, alertId],
    queryFn: ({ signal, pageParam }) =>
      call(listAlertDeliveries, {
        params: { id: alertId },
        query: pageParam === null ? {} : { cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    ...deliveryFreshness<{ pages: { deliveries: { status: string }[] }[] }>(({ pages }) =>
      pages.flatMap(({ deliveries }) => deliveries),
    ),
  });
}

/** The latest message of a rule; null before the first. */
export function lastAlertQuery(alertId: string) {
  return queryOptions({
    queryKey: [listAlertDeliveries.id, alertId, 'last'],
    queryFn: async ({ signal }) => {
      const query = { limit: 1 };
      const { deliveries } = await call(listAlertDeliveries, { params: { id: alertId }, query, signal });
      return deliveries[0] ?? null;
    },
    ...freshness('settings'),
  });
}
