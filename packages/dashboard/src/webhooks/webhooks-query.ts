import {
  type DeliveryStatus,
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  type Webhook,
} from '@culprit/contract/alerts/webhooks';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { deliveryFreshness, freshness } from '../api/freshness.ts';
import { readAllPages } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import { call } from '../api/transport.ts';

/** Every webhook of a project, newest first. */
export function webhooksQuery(projectId: string) {
  return queryOptions({
    queryKey: [listWebhooks.id, projectId],
    queryFn: ({ signal }) =>
      readAllPages(
        (page) => call(listWebhooks, { query: { project_id: projectId, ...page }, signal }),
        ({ webhooks }) => webhooks,
      ),
    ...freshness('settings'),
  });
}

/** Reads one webhook, as often as its deliveries: it may have been disabled automatically. */
export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: [getWebhook.id, id],
    queryFn: async ({ signal }) => (await call(getWebhook, { params: { id }, signal })).webhook,
    ...freshness('deliveries'),
  });
}

/** Puts a webhook that was saved in the place of the one that was read. */
export function keepWebhook(saved: Webhook): void {
  queryClient.setQueryData(webhookQuery(saved.webhook_id).queryKey, saved);
  queryClient.setQueryData(webhooksQuery(saved.project_id).queryKey, (webhooks) =>
    webhooks?.map((each) => (each.webhook_id === saved.webhook_id ? saved : each)),
  );
}

/** Reads the deliveries of a webhook, page by page, newest first. */
export function webhookDeliveriesQuery(id: string, status: DeliveryStatus | null) {
  return infiniteQueryOptions({
    queryKey: [listWebhookDeliveries.id, id, status],
    queryFn: ({ signal, pageParam }) =>
      call(listWebhookDeliveries, {
        params: { id },
        query: {
          ...(status === null ? {} : { status }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    ...deliveryFreshness<{ pages: { deliveries: { status: string }[] }[] }>(({ pages }) =>
      pages.flatMap(({ deliveries }) => deliveries),
    ),
  });
}

/** The latest delivery of a webhook, and the latest that was held back because the webhook is off; null without one. */
export function latestDeliveryQuery(id: string, status: DeliveryStatus | null) {
  return queryOptions({
    queryKey: [listWebhookDeliveries.id, id, status, 'latest'],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, ...(status === null ? {} : { status }) };
      const { deliveries } = await call(listWebhookDeliveries, { params: { id }, query, signal });
      return deliveries[0] ?? null;
    },
    ...freshness('deliveries'),
  });
}

/** All of a delivery; read again when it moved. */
export function deliveryDetailQuery(id: string, did: string, attempts: number, status: string) {
  return queryOptions({
    queryKey: [getWebhookDelivery.id, id, did, attempts, status],
    queryFn: ({ signal }) => call(getWebhookDelivery, { params: { id, did }, signal }),
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
}
