import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failedHere } from '../../src/monitor/availability/check-outcome.ts';
import { claimRuns } from '../../src/monitor/availability/claims.queries.ts';
import { recordRun } from '../../src/monitor/availability/record-run.ts';
import { cleanProject, type RetentionOptions } from '../../src/upkeep/retention/clean-project.ts';
import { DAY } from '../conformance/incidents-fixtures.ts';
import { checkClient, LOCAL_SITES, startSite } from '../support/check-client.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { claimCleaning, cleaningOptions } from '../support/retention.ts';

/** A failed check names the incident that its failure will be counted in; cleaning may come in between. */
const PLANS = { ...SELF_HOSTED, retention: { rawDays: 1, incidentDays: 1 } };

describe('the incident of a check at the end of its retention', () => {
  let culprit: TestCulprit;
  let options: RetentionOptions;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: PLANS, outbound: LOCAL_SITES });
    options = await cleaningOptions(culprit, PLANS);
    await culprit.database.script(`update projects set retention_due_at = 'infinity'`);
  });
  afterAll(() => culprit.stop());

  async function clean(): Promise<void> {
    await culprit.database.script(`update projects set retention_due_at = culprit_now() - interval '1 s'`);
    const job = await claimCleaning(culprit);
    if (job === undefined) throw new Error('the job was not claimed');
    await cleanProject(job, options);
    await culprit.database.script(`update projects set retention_due_at = 'infinity'`);
  }

  it('stays while a failure waits to be counted in it', async () => {
    const site = await startSite(500);
    const client = await connect(culprit);
    await culprit.database.script(`update projects set retention_due_at = 'infinity'`);
    await checkClient(culprit, client.project).create({ url: site.url, failure_threshold: 1 });
    const { incident_id: incidentId } = await client.only(1);
    await culprit.stopWorker();
    await site.close();

    await moveClock(culprit.database, 2 * DAY);
    // A run for the first slot behind the pause of the worker, whenever that is.
    await culprit.database.script(
      'update availability_checks set next_check_at = culprit_now(), last_checked_at = null',
    );
    const { runs } = await claimRuns(culprit.database, PLANS, 1);
    for (const run of runs) {
      const outcome = { ...failedHere(run.target), status: 'timeout', errorKind: 'timeout' } as const;
      await recordRun(options, run, outcome);
    }
    expect(await countRows(culprit, 'batches where processed_at is null')).toBe(1);
    await clean();
    expect(await client.list()).toMatchObject([{ incident_id: incidentId, occurrence_count: 1 }]);
    expect(await countRows(culprit, 'incident_tombstones')).toBe(0);

    await culprit.startWorker();
    expect(await client.only(2)).toMatchObject({ incident_id: incidentId });
  });
});
