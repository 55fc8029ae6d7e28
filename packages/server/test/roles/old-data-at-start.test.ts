import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';

/** More than the two steps of 5,000 rows that a removal which stops early would take. */
const OLD_ROWS = 10_001;

/**
 * A worker that lives for less than any interval removes what is old all the same (docs/contract/reliability.md A8):
 * each test makes something old while no worker runs and then starts one, with the intervals of production.
 */
describe('a worker that has just started', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let projectId: string;
  beforeAll(async () => {
    const plans = { ...SELF_HOSTED, retention: { rawDays: 1, incidentDays: 3 } };
    culprit = await startCulprit({ plans, hasWorker: false, duties: [] });
    project = await culprit.createProject();
    projectId = parseId(['proj'], project.projectId) ?? '';
  });
  afterAll(() => culprit.stop());

  /** Makes rows old while no worker runs, then waits under a worker until none of them is left. */
  async function expectRemoved(
    rows: string,
    makeOld: string,
    parameters: (string | number)[],
  ): Promise<void> {
    await culprit.database.query({ name: `test-old ${rows}`, text: makeOld }, parameters);
    expect(await countRows(culprit, rows)).toBeGreaterThan(0);
    await culprit.startWorker();
    try {
      await eventually(async () => expect(await countRows(culprit, rows)).toBe(0));
    } finally {
      await culprit.stopWorker();
    }
  }

  it('cleans projects that are due', async () => {
    await expectRemoved(
      'projects where retention_due_at <= culprit_now()',
      'update projects set retention_due_at = culprit_now() where project_id = $1',
      [projectId],
    );
  });

  it('removes all old counters of sign-ins', async () => {
    await expectRemoved(
      'sign_in_rates',
      `insert into sign_in_rates (bucket, client, started_at, requests)
        select 'sign_in', n::text, culprit_now() - interval '2 hours', 1 from generate_series(1, $1::integer) n`,
      [OLD_ROWS],
    );
  });

  it('removes all invites that were final long ago', async () => {
    await expectRemoved(
      'project_invites',
      `insert into project_invites (invite_id, project_id, email, role, token_hash, invited_by_user_id, expires_at)
        select gen_random_uuid(), $1, n || '@old.test', 'member', sha256(n::text::bytea), $2,
          culprit_now() - interval '31 days'
        from generate_series(1, $3::integer) n`,
      [projectId, project.userId, OLD_ROWS],
    );
  });

  it('removes all messages of alerts that ended long ago', async () => {
    await expectRemoved(
      'alert_messages',
      `with receiver as (
          insert into alert_receivers (receiver_id, project_id) values (gen_random_uuid(), $1) returning receiver_id
        )
        insert into alert_messages (message_id, project_id, receiver_id, channel, status, created_at)
        select gen_random_uuid(), $1, receiver_id, 'webhook', 'delivered', culprit_now() - interval '31 days'
        from receiver, generate_series(1, $2::integer)`,
      [projectId, OLD_ROWS],
    );
  });
});
