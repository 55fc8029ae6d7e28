import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { billingClient } from '../../../server/test/support/billing-client.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator, setPlan } from '../../../server/test/support/collaborators.ts';
import { HOSTED, SELF_HOSTED, type TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { organizationOf } from '../../../server/test/support/organizations.ts';
import { newAddress } from '../../../server/test/support/people.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** docs/contract/dashboard.md 4.21, and its checklist, items 27 and 28: roles, plans, limits off. */
describe('the organization', { timeout: 120_000 }, () => {
  let hosted: TestCulprit;
  let own: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
    hosted = await startWithDashboard({ plans: HOSTED });
    own = await startWithDashboard({ plans: SELF_HOSTED });
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await Promise.all([hosted?.stop(), own?.stop()]);
  });

  it('an owner tries a plan, and sees six meters with what each limit means', async () => {
    const email = 'free@example.test';
    const project = await hosted.createProject({ email, name: 'shop', plan: 'free' });
    const { page, expectQuiet } = await openSignedIn(browser, hosted, email);
    await page.goto(`${hosted.url}/projects/${project.projectId}/incidents`);
    await press(page.getByRole('button', { name: /^Account / }));
    await press(page.getByRole('menuitem', { name: 'Organization' }));
    await page.getByRole('heading', { level: 1, name: 'Organization' }).waitFor();
    expect(await page.title()).toBe('Organization · Culprit');
    await page.getByRole('meter', { name: 'Events' }).waitFor();
    expect(await page.getByRole('meter').count()).toBe(6);
    await page.getByText('0 / 750').waitFor();
    await press(page.getByRole('button', { name: 'Start the Team trial' }));
    await page.getByText('30 days left').waitFor();
    expect(await page.getByRole('button', { name: 'Start the Team trial' }).count()).toBe(0);
    await page.getByText('Units can be added once the plan is bought.').waitFor();
    await expectSoundLooks(page, 'organization');
    expectQuiet();
  });

  it('an incident without evidence says that the allowance is used up, and the owner when it begins anew', async () => {
    const email = newAddress('used-up');
    const client = await connect(hosted, { email, name: 'shop' });
    await setPlan(hosted, client.project, 'team');
    const organizationId = await organizationOf(hosted.database, client.project.userId);
    const { usage_window: period } = await billingClient(hosted, client.project.memberToken).read();
    await hosted.database.query(
      {
        name: 'test-use-up',
        text: `insert into usage_counters (organization_id, window_started_at, meter, used)
          values ($1, $2, 'monthly_bundle_requests', 1000000000)`,
      },
      [organizationId, period.starts_at],
    );
    await client.send(EX());
    const { incident_id: id } = await client.only(1);
    await client.settled();
    const { page, expectQuiet } = await openSignedIn(browser, hosted, email);
    await page.goto(`${hosted.url}/incidents/${id}`);
    await page.getByText("This month's evidence allowance is used up.").waitFor();
    const [year = ''] = period.ends_at.split('-');
    await page.getByText(new RegExp(`The next period begins .*${year}`)).waitFor();
    await press(page.locator('main').getByRole('link', { name: 'Plan and usage' }));
    await page.getByRole('meter', { name: 'Events' }).waitFor();
    expectQuiet();

    const member = await createCollaborator(hosted, client.project, 'member');
    const theirs = await openSignedIn(browser, hosted, member.email);
    await theirs.page.goto(`${hosted.url}/incidents/${id}`);
    await theirs.page.getByText(`The limit applies to the whole organization. Owner: ${email}`).waitFor();
    theirs.expectQuiet();
  });

  it('capacity goes up at once, down at the end of the period, and that can be cancelled', async () => {
    const email = 'solo@example.test';
    const project = await hosted.createProject({ email, name: 'shop' });
    await setPlan(hosted, project, 'solo');
    const { page, expectQuiet } = await openSignedIn(browser, hosted, email);
    await page.goto(`${hosted.url}/organization`);
    await type(page.getByLabel('Added units'), '2');
    await page.getByText('2 units more, immediately').waitFor();
    await press(page.getByRole('button', { name: 'Change capacity' }));
    await page.getByText('5 units, 3 of them included and 2 added').waitFor();
    await type(page.getByLabel('Added units'), '1');
    await press(page.getByRole('button', { name: 'Change capacity' }));
    await page.getByText(/^4 units from/).waitFor();
    await press(page.getByRole('button', { name: 'Keep the capacity' }));
    await page.getByLabel('Added units').waitFor();
    expectQuiet();
  });

  it('an installation of its own has no limits, no purchase and no trial', async () => {
    await own.createProject({ email: 'own@example.test', name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, own, 'own@example.test');
    await page.goto(`${own.url}/organization`);
    await page.getByText('The operator of this server sets the plan').waitFor();
    expect(await page.getByText('/ no limit').count()).toBe(6);
    expect(await page.getByRole('meter').count()).toBe(0);
    for (const name of [/trial/, /Buy/, /payment/, /capacity/]) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    expectQuiet();
  });

  it('whoever owns nothing is told why, and asks for nothing', async () => {
    const project = await own.createProject({ email: 'boss@example.test', name: 'shop' });
    const admin = await createCollaborator(own, project, 'admin');
    const { page, expectQuiet } = await openSignedIn(browser, own, admin.email);
    await page.goto(`${own.url}/organization`);
    await page.getByText('Only the owner of an organization sees its plan and usage.').waitFor();
    expectQuiet();
  });
});
