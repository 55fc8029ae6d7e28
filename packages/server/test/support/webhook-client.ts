import { WEBHOOK_EVENTS, type WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import * as webhooks from '@culprit/contract/alerts/webhooks';
import { createClient } from '@culprit/contract/endpoints/client';
import { parseId } from '../../src/platform/ids.ts';
import { countRows } from './count-rows.ts';
import type { TestCulprit, TestProject } from './culprit.ts';
import { eventually } from './eventually.ts';
import { expectOk } from './expect-ok.ts';

/** What a member does with the webhooks of one project, over HTTP. These throw for every other answer than the success. */
export interface WebhookClient {
  create(
    url: string,
    options?: {
      events?: WebhookEventName[];
      filters?: webhooks.WebhookFilterRequest;
      is_enabled?: boolean;
    },
  ): Promise<{ webhook: webhooks.Webhook; signing_secret: string }>;
  read(webhookId: string): Promise<webhooks.Webhook>;
  update(
    webhookId: string,
    change: { url?: string; is_enabled?: boolean; events?: WebhookEventName[] },
  ): Promise<webhooks.Webhook>;
  test(webhookId: string, event?: webhooks.TestEventName): Promise<webhooks.WebhookDelivery>;
  retry(webhookId: string, deliveryId: string): Promise<webhooks.WebhookDelivery>;
  /** At most 100, newest first. */
  deliveries(webhookId: string): Promise<webhooks.WebhookDelivery[]>;
  /** Waits until the webhook's newest delivery is as described, and returns it. */
  delivery(webhookId: string, expected: Partial<webhooks.WebhookDelivery>): Promise<webhooks.WebhookDelivery>;
}

export function webhookClient(
  culprit: Pick<TestCulprit, 'url'>,
  project: Pick<TestProject, 'projectId' | 'memberToken'>,
): WebhookClient {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });

  async function deliveries(id: string): Promise<webhooks.WebhookDelivery[]> {
    const call = await api.call(webhooks.listWebhookDeliveries, { params: { id }, query: { limit: 100 } });
    return expectOk(call).deliveries;
  }

  return {
    async create(url, { events = [...WEBHOOK_EVENTS], filters = {}, is_enabled = true } = {}) {
      const body = { project_id: project.projectId, url, events, filters, is_enabled };
      return expectOk(await api.call(webhooks.createWebhook, { body }));
    },
    async read(id) {
      return expectOk(await api.call(webhooks.getWebhook, { params: { id } })).webhook;
    },
    async update(id, body) {
      return expectOk(await api.call(webhooks.updateWebhook, { params: { id }, body })).webhook;
    },
    async test(id, event) {
      const body = event === undefined ? {} : { event_type: event };
      return expectOk(await api.call(webhooks.testWebhook, { params: { id }, body })).delivery;
    },
    async retry(id, did) {
      return expectOk(await api.call(webhooks.retryWebhookDelivery, { params: { id, did } }));
    },
    deliveries,
    async delivery(webhookId, expected) {
      return await eventually(async () => {
        const [newest] = await deliveries(webhookId);
        if (newest === undefined) throw new Error('no delivery');
        for (const [key, value] of Object.entries(expected)) {
          if (Reflect.get(newest, key) !== value) throw new Error(`not yet: ${JSON.stringify(newest)}`);
        }
        return newest;
      });
    },
  };
}

/** Waits until every ledger row of the project is fanned out, and every delivery has ended or waits for its time. */
export async function deliveriesRest(
  culprit: TestCulprit,
  project: Pick<TestProject, 'projectId'>,
): Promise<void> {
  const id = parseId(['proj'], project.projectId);
  await eventually(async () => {
    const waiting =
      (await countRows(culprit, `jobs where fairness_key = $1`, [id])) +
      (await countRows(
        culprit,
        `webhook_deliveries where project_id = $1 and (leased_until is not null or next_attempt_at <= culprit_now())`,
        [id],
      ));
    if (waiting > 0) throw new Error(`${waiting} jobs and deliveries wait`);
  });
}
