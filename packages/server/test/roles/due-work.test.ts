import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { MAIL_LANE } from '../../src/platform/mail/mail.jobs.ts';
import { findDueWork, timeUntilDue } from '../../src/roles/due-work.queries.ts';
import { LANES, laneRow } from '../../src/roles/lanes.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { moveClock } from '../support/move-clock.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
});
afterAll(() => culprit.stop());
beforeEach(async () => {
  await moveClock(culprit.database, 0);
  await culprit.database.script('delete from jobs; delete from capture_rule_hits');
});

async function queue(
  lane: string,
  times = 'null, culprit_now()',
  kind = laneRow(lane).kinds[0],
): Promise<void> {
  await culprit.database.script(
    `insert into jobs (lane, kind, fairness_key, leased_until, run_at) values ('${lane}', '${kind}', '${newUuid()}', ${times})`,
  );
}

const due = async () => await findDueWork(culprit.database);

describe('due work', () => {
  it('is none while nothing waits', async () => {
    expect(await due()).toEqual([]);
  });

  it('is found in every lane', async () => {
    for (const { name } of LANES) await queue(name);
    expect((await due()).sort()).toEqual(LANES.map(({ name }) => name).sort());
  });

  it('is no job that is delayed or held, until its delay is over or its lease ran out', async () => {
    await queue(BUNDLES_LANE, `null, culprit_now() + interval '5 s'`);
    await queue(MAIL_LANE, `culprit_now() + interval '30 s', culprit_now()`);
    expect(await due()).toEqual([]);
    await moveClock(culprit.database, 6_000);
    expect(await due()).toEqual([BUNDLES_LANE]);
    await moveClock(culprit.database, 31_000);
    expect(await due()).toEqual([BUNDLES_LANE, MAIL_LANE]);
  });

  it('is no job of a kind that only another release knows', async () => {
    await queue(MAIL_LANE, 'null, culprit_now()', 'mail.of-a-later-release');
    expect(await due()).toEqual([]);
  });

  it('is a match of a capture rule that nobody has counted', async () => {
    await culprit.database.script(
      `insert into capture_rule_hits (rule_id, hits, matched_at) values ('${newUuid()}', 1, culprit_now())`,
    );
    expect(await due()).toEqual(['count-rule-hits']);
  });
});

describe('the time until the next work', () => {
  it('is not known while nothing is planned, and that of the soonest otherwise', async () => {
    expect(await timeUntilDue(culprit.database)).toBeNull();
    await queue(MAIL_LANE, `null, culprit_now() - interval '5 s'`);
    expect(await timeUntilDue(culprit.database)).toBeNull();
    await queue(BUNDLES_LANE, `null, culprit_now() + interval '40 s'`);
    await queue(MAIL_LANE, `null, culprit_now() + interval '20 s'`);
    const waitMs = await timeUntilDue(culprit.database);
    expect(waitMs).toBeGreaterThan(10_000);
    expect(waitMs).toBeLessThanOrEqual(20_000);
  });
});
