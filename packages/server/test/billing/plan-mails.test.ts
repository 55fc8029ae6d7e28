import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAIL_LANE } from '../../src/platform/mail/mail.jobs.ts';
import { BILLING_LANE } from '../../src/workspace/billing/billing.jobs.ts';
import { billingClient } from '../support/billing-client.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { codeIn, mailsTo, nextMail } from '../support/mailbox.ts';
import { holdClock, moveClock } from '../support/move-clock.ts';
import { organizationOf, setPlanOf } from '../support/organizations.ts';
import { newAddress } from '../support/people.ts';
import { askForCode, browserOf, requestCode, verifyCode } from '../support/sign-in.ts';

/** The messages to an owner about a trial (docs/contract/account.md 6.5). */

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-10T12:00:00.000Z');
const END_MS = START_MS + 30 * DAY_MS;

let culprit: TestCulprit;
let owner: TestProject;
let email: string;

beforeAll(async () => {
  culprit = await startCulprit({ duties: [], plans: HOSTED, appUrl: 'https://errors.example.test' });
});
afterAll(() => culprit.stop());
beforeEach(async () => {
  await holdClock(culprit.database, START_MS);
  await culprit.database.script('truncate jobs');
  email = newAddress('owner');
  owner = await culprit.createProject({ email });
});
afterEach(() => moveClock(culprit.database, 0));

async function startTrial(plan = 'team'): Promise<void> {
  const answer = await billingClient(culprit, owner.memberToken).startTrial({ target_plan: plan });
  expect(answer.status).toBe(200);
}

/** Subjects of all messages so far, once nothing is left that is due. */
async function subjects(): Promise<string[]> {
  await culprit.drain();
  return (await mailsTo(culprit.mailDirectory, email)).map(({ subject }) => subject);
}

async function passTo(atMs: number): Promise<void> {
  await holdClock(culprit.database, atMs);
}

const STARTED = 'Your Team trial has started (errors.example.test)';
const SEVEN_DAYS = 'Your Team trial ends in 7 days (errors.example.test)';
const ONE_DAY = 'Your Team trial ends in 1 day (errors.example.test)';
const ENDED = 'Your Team trial has ended (errors.example.test)';

describe('the owner of a trial', () => {
  it('is told when it starts, seven days and one day before its end, and when it has ended', async () => {
    await startTrial();
    expect(await subjects()).toEqual([STARTED]);
    await passTo(END_MS - 7 * DAY_MS - 1000);
    expect(await subjects()).toEqual([STARTED]);
    await passTo(END_MS - 7 * DAY_MS);
    expect(await subjects()).toEqual([STARTED, SEVEN_DAYS]);
    await passTo(END_MS - DAY_MS);
    expect(await subjects()).toEqual([STARTED, SEVEN_DAYS, ONE_DAY]);
    await passTo(END_MS);
    expect(await subjects()).toEqual([STARTED, SEVEN_DAYS, ONE_DAY, ENDED]);
    expect(await countRows(culprit, 'jobs')).toBe(0);
  });

  it('reads the same in both forms, with the time of the end and a way in', async () => {
    await startTrial('solo');
    const mail = await nextMail(culprit.mailDirectory, email);
    for (const form of [mail.text, mail.html]) {
      expect(form).toContain('Your Solo trial has started');
      expect(form).toContain('2026-02-09 12:00 UTC');
      expect(form).toContain('https://errors.example.test');
    }
  });

  it('is told of a conversion, and no more of the trial', async () => {
    await startTrial();
    await subjects();
    await passTo(START_MS + 3 * DAY_MS);
    await setPlanOf(culprit.database, owner.userId, 'solo');
    const converted = 'Your organization is on Solo now (errors.example.test)';
    expect(await subjects()).toEqual([STARTED, converted]);
    await setPlanOf(culprit.database, owner.userId, 'team');
    await passTo(END_MS + DAY_MS);
    expect(await subjects()).toEqual([STARTED, converted]);
    expect(await countRows(culprit, 'jobs')).toBe(0);
  });

  it('is told nothing that is over when the worker comes back late', async () => {
    await culprit.stopWorker();
    await startTrial();
    await passTo(END_MS - DAY_MS / 2);
    await culprit.startWorker();
    expect(await subjects()).toEqual([ONE_DAY]);
    await culprit.stopWorker();
    await passTo(END_MS + 40 * DAY_MS);
    await culprit.startWorker();
    expect(await subjects()).toEqual([ONE_DAY, ENDED]);
  });

  it('is told nothing when the organization is gone', async () => {
    await startTrial();
    await subjects();
    const organizationId = await organizationOf(culprit.database, owner.userId);
    await culprit.database.script(`
      update projects set deleted_at = culprit_now(), organization_id = null where organization_id = '${organizationId}';
      delete from member_tokens where organization_id = '${organizationId}';
      delete from organizations where organization_id = '${organizationId}'`);
    await passTo(END_MS + DAY_MS);
    expect(await subjects()).toEqual([STARTED]);
    await laneIsEmpty(culprit, BILLING_LANE);
    await laneIsEmpty(culprit, MAIL_LANE);
  });

  it('is told once, however often the plan is set', async () => {
    await startTrial();
    await setPlanOf(culprit.database, owner.userId, 'team');
    await setPlanOf(culprit.database, owner.userId, 'team', 3);
    await setPlanOf(culprit.database, owner.userId, 'free');
    expect((await subjects()).filter((subject) => subject.includes('is on'))).toHaveLength(1);
  });
});

describe('signing up for a trial', () => {
  it('starts it with the first sign-in, and with no later one', async () => {
    const address = newAddress();
    await askForCode(culprit.url, address, { requested_trial_plan: 'solo' });
    const code = codeIn(await nextMail(culprit.mailDirectory, address));
    const { session } = browserOf(await verifyCode(culprit.url, address, code));
    expect(session.organization_plan).toBe('solo');
    const audited = 'audit_log where action = $1 and actor_user_id = $2';
    expect(await countRows(culprit, audited, ['billing.trial_started', session.user_id])).toBe(1);
    await culprit.drain();
    await passTo(END_MS);
    const again = browserOf(
      await verifyCode(culprit.url, address, await requestCode(culprit, address), {
        body: { requested_trial_plan: 'team' },
      }),
    );
    expect(again.session.organization_plan).toBe('free');
    const titles = (await mailsTo(culprit.mailDirectory, address)).map(({ subject }) => subject);
    expect(titles).toContain('Your Solo trial has started (errors.example.test)');
  });
});
