import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALERT_TABLES } from '../../src/notify/alerts/alerts.tables.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';

describe('old alerts', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
  });
  afterAll(() => culprit.stop());

  it('go thirty days after they were made, once they have ended, with their deliveries and idle receivers', async () => {
    const { projectId } = await culprit.createProject();
    const ages: readonly [age: string, status: string][] = [
      ['30 days 1 second', 'delivered'],
      ['30 days 1 second', 'failed'],
      ['30 days 1 second', 'retrying'],
      ['29 days 23 hours', 'delivered'],
    ];
    for (const [age, status] of ages) {
      await culprit.database.query(
        {
          name: 'test-old-alert',
          text: `with receiver as (
              insert into alert_receivers (receiver_id, project_id) values (gen_random_uuid(), $1)
              returning receiver_id, project_id
            ), message as (
              insert into alert_messages (message_id, project_id, receiver_id, channel, status, next_attempt_at, created_at)
              select gen_random_uuid(), project_id, receiver_id, 'webhook', $2,
                case when $2 = 'retrying' then culprit_now() end, culprit_now() - $3::interval
              from receiver returning message_id, project_id
            )
            insert into alert_deliveries (alert_delivery_id, alert_id, project_id, incident_id, message_id, dedupe_key,
              notification_key, facts)
            select gen_random_uuid(), gen_random_uuid(), project_id, gen_random_uuid(), message_id, '', '', '{}'
            from message`,
        },
        [projectId.replace('proj_', ''), status, age],
      );
    }
    await deleteExpiredRows(culprit.database, ALERT_TABLES);
    for (const table of ['alert_messages', 'alert_deliveries', 'alert_receivers']) {
      expect([table, await countRows(culprit, table)]).toEqual([table, 2]);
    }
  });
});
