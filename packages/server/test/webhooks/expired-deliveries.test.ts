import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEBHOOK_TABLES } from '../../src/notify/webhooks/webhooks.tables.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { moveClock } from '../support/move-clock.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const DAY_MS = 86_400_000;

describe('old deliveries', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ duties: [], deliveries: { scheduleMs: [40 * DAY_MS] } });
  });
  afterAll(() => culprit.stop());

  it('go 30 days after they were made, unless they still wait', async () => {
    const receiver = await startReceiver(204, 500);
    const webhooks = webhookClient(culprit, await culprit.createProject());
    const { webhook } = await webhooks.create(receiver.url);
    const { webhook_id: webhookId } = webhook;
    await webhooks.test(webhookId);
    await webhooks.delivery(webhookId, { status: 'delivered' });
    await webhooks.test(webhookId);
    const waiting = await webhooks.delivery(webhookId, { status: 'retrying' });
    await moveClock(culprit.database, 30 * DAY_MS - 60_000);
    await deleteExpiredRows(culprit.database, WEBHOOK_TABLES);
    expect(await webhooks.deliveries(webhookId)).toHaveLength(2);
    await moveClock(culprit.database, 30 * DAY_MS + 60_000);
    await deleteExpiredRows(culprit.database, WEBHOOK_TABLES);
    expect((await webhooks.deliveries(webhookId)).map(({ delivery_id }) => delivery_id)).toEqual([
      waiting.delivery_id,
    ]);
    await receiver.stop();
  });
});
