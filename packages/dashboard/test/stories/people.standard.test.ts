import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { addMember, createCollaborator } from '../../../server/test/support/collaborators.ts';
import { HOSTED, type TestCulprit } from '../../../server/test/support/culprit.ts';
import { codeIn, nextMail } from '../../../server/test/support/mailbox.ts';
import { signInAs } from '../../../server/test/support/people.ts';
import { sendEvents } from '../../../server/test/support/send-events.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { violationsOn } from '../support/sound-looks.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/dashboard.md 4.3, 4.20 and 10, stories: a second person is invited, and what each role sees. */
describe('people of a project', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard({ plans: HOSTED }), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  /** Waits for the mail with an invite, and reads its link. */
  async function inviteLink(email: string): Promise<string> {
    const mail = await nextMail(culprit.mailDirectory, email, 0, ' invited you to ');
    const link = /https?:\/\/\S+\/invite\?token=\S+/.exec(mail.text)?.[0];
    if (link === undefined) throw new Error('the mail has no link');
    return link;
  }

  it('a team is created with its people, gets an incident, is renamed and deleted', async () => {
    const email = 'teams@example.test';
    const project = await culprit.createProject({ email, name: 'shop', plan: 'team' });
    const member = await createCollaborator(culprit, project, 'member');
    await sendEvents(culprit.url, project.projectToken, [EX()]);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/people`);
    await press(page.getByRole('button', { name: 'New team' }));
    const dialog = page.getByRole('dialog');
    await type(dialog.getByLabel('Name'), 'Payments');
    await type(dialog.getByLabel('Handle'), 'payments');
    await press(dialog.getByLabel(member.email));
    expect(await violationsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Save team' }));
    const row = page.getByRole('table', { name: 'Teams' }).getByRole('row', { name: /Payments/ });
    await row.getByText('1 person').waitFor();

    await page.goto(`${culprit.url}/projects/${project.projectId}/incidents`);
    await press(page.getByRole('link', { name: /^TypeError/ }).first());
    await page.getByRole('button', { name: 'Assign', exact: true }).waitFor();
    await page.keyboard.press('a');
    await press(page.getByRole('menuitemradio', { name: 'Payments' }));
    await page.getByText('Assigned to Payments').first().waitFor();

    await page.goto(`${culprit.url}/projects/${project.projectId}/people`);
    await press(page.getByRole('button', { name: 'Edit Payments' }));
    await type(dialog.getByLabel('Name'), 'Billing');
    await press(dialog.getByLabel(member.email));
    await press(dialog.getByRole('button', { name: 'Save team' }));
    await press(page.getByRole('button', { name: 'Delete Billing' }));
    await press(page.getByRole('button', { name: 'Delete the team' }));
    await page.getByText('No teams yet.').waitFor();
    expectQuiet();
  });

  it('lines of ownership are tried on past incidents, saved, and applied', async () => {
    const email = 'ownership@example.test';
    const project = await culprit.createProject({ email, name: 'shop', plan: 'team' });
    await sendEvents(culprit.url, project.projectToken, [EX()]);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/incidents`);
    await page
      .getByRole('link', { name: /^TypeError/ })
      .first()
      .waitFor();
    await page.goto(`${culprit.url}/projects/${project.projectId}/ownership`);
    const lines = page.getByLabel('Matchers and owners, one line each');
    await type(lines, 'service: @a');
    await press(page.getByRole('button', { name: 'Save lines' }));
    await page.getByText('Line 1: a value is missing after service:.').waitFor();
    await type(lines, `* ${email}\nservice:none @no-one`);
    await press(page.getByRole('button', { name: 'Preview' }));
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('1 incident of the last 30 days, 1 with an owner').waitFor();
    await preview.getByText('Lines that match no incident: 2').waitFor();
    await press(page.getByRole('button', { name: 'Save lines' }));
    const table = page.getByRole('table', { name: 'What each line matches' });
    await table
      .getByText('Not found: @no-one. An owner is a person of this project, or a team that has one.')
      .waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await press(page.getByRole('button', { name: 'Assign unassigned incidents' }));
    await page.getByText('Assigned 1 incident').first().waitFor();
    expectQuiet();
  });

  it('an invited person signs in, joins, becomes admin and is removed again', async () => {
    const project = await culprit.createProject({ email: 'owner@example.test', name: 'shop', plan: 'team' });
    const owner = await openSignedIn(browser, culprit, 'owner@example.test');
    await owner.page.goto(`${culprit.url}/projects/${project.projectId}/people`);
    await owner.page.getByText('Only you see this project.').waitFor();
    await press(owner.page.getByRole('heading', { level: 1, name: 'Members' }));
    await owner.page.keyboard.press('n');
    await type(owner.page.getByLabel('E-mail'), 'Second@Example.test');
    await owner.page.keyboard.press('Enter');
    const invites = owner.page.getByRole('table', { name: 'Open invites' });
    await invites.getByText('second@example.test').waitFor();

    await press(owner.page.getByRole('button', { name: /^Invite a person/ }));
    await type(owner.page.getByLabel('E-mail'), 'second@example.test');
    await press(owner.page.getByRole('button', { name: 'Send invite' }));
    await owner.page.getByText('This person is already invited.').waitFor();
    await owner.page.keyboard.press('Escape');

    const link = await inviteLink('second@example.test');
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(token).toMatch(/^svc_invite_/);
    const { page, expectQuiet } = await openWatchedPage(browser, culprit.url);
    await page.goto(link);
    const heading = { level: 1, name: 'owner@example.test invited you to shop' } as const;
    await page.getByRole('heading', heading).waitFor();
    await type(page.getByLabel('E-mail'), 'second@example.test');
    expect(page.url()).toBe(`${culprit.url}/invite`);
    expect(await violationsOn(page)).toEqual([]);
    await press(page.getByRole('button', { name: 'Send code' }));
    const code = codeIn(await nextMail(culprit.mailDirectory, 'second@example.test', 0, 'Sign-in code'));
    await type(page.getByLabel('Code'), code);
    await press(page.getByRole('button', { name: 'Join as second@example.test' }));
    await page.waitForURL(`${culprit.url}/projects/${project.projectId}/incidents`);
    await page.getByText('You joined as member').waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept + page.url()).not.toContain(token);

    await page.goto(link);
    await page.getByText('This link was used or cancelled, or is older than 7 days.').waitFor();

    await owner.page.reload();
    const members = owner.page.getByRole('table', { name: 'People with access' });
    await choose(members.getByLabel('Role of second@example.test'), 'admin');
    await owner.page.getByText('second@example.test is now admin').waitFor();
    await page.goto(`${culprit.url}/projects/${project.projectId}/people`);
    await page.getByRole('table', { name: 'People with access' }).getByText('you', { exact: true }).waitFor();

    await press(members.getByRole('button', { name: 'Remove second@example.test' }));
    await press(owner.page.getByRole('button', { name: 'Remove the person' }));
    await owner.page.getByText('Only you see this project.').waitFor();
    expect(await members.getByText('second@example.test').count()).toBe(0);
    await page.reload();
    await page.getByText('This project does not exist, or you cannot see it.').waitFor();
    expectQuiet(400, 404);
    owner.expectQuiet(409);
  });

  it('a link for somebody else changes nothing, and leads to the address it was meant for', async () => {
    const project = await culprit.createProject({ email: 'host@example.test', name: 'shop', plan: 'team' });
    const host = await signInAs(culprit, 'host@example.test');
    await host.request('POST', `/v1/projects/${project.projectId}/invite`, { email: 'meant@example.test' });
    const link = await inviteLink('meant@example.test');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'other@example.test');
    await page.goto(link);
    await press(page.getByRole('button', { name: 'Join as other@example.test' }));
    await page.getByText('This invite is for another address.').waitFor();
    await press(page.getByRole('button', { name: 'Use another address' }));
    await type(page.getByLabel('E-mail'), 'meant@example.test');
    await press(page.getByRole('button', { name: 'Send code' }));
    const code = codeIn(await nextMail(culprit.mailDirectory, 'meant@example.test', 0, 'Sign-in code'));
    await type(page.getByLabel('Code'), code);
    await press(page.getByRole('button', { name: 'Join as meant@example.test' }));
    await page.waitForURL(`${culprit.url}/projects/${project.projectId}/incidents`);
    expectQuiet(403);
  });

  it.each(['light', 'dark'] as const)(
    'a member is told who decides, may leave, and loses access, in the %s theme',
    async (colorScheme) => {
      const email = `boss-${colorScheme}@example.test`;
      const project = await culprit.createProject({ email, name: 'shop', plan: 'team' });
      const member = await createCollaborator(culprit, project, 'member');
      const { page, expectQuiet } = await openSignedIn(browser, culprit, member.email, { colorScheme });
      await page.goto(`${culprit.url}/projects/${project.projectId}/people`);
      await page.getByText('Only admins can see the members.').waitFor();
      await page.getByText(`Owner: ${email}`).waitFor();
      const invite = page.getByRole('button', { name: /^Invite a person/ });
      expect(await invite.getAttribute('aria-disabled')).toBe('true');
      expect(await invite.getAttribute('aria-description')).toBe(
        `Needs admin. Yours is member. Ask ${email}`,
      );
      expect(await violationsOn(page)).toEqual([]);
      await press(page.getByRole('button', { name: 'Leave the project' }));
      await press(page.getByRole('dialog').getByRole('button', { name: 'Leave the project' }));
      await page.getByText('You left shop').waitFor();
      // What the page shows may be asked for once more while it is being left.
      expectQuiet(404);
    },
  );

  it('below the plan that has it, an invite says so and access is paused', async () => {
    const project = await culprit.createProject({ email: 'small@example.test', name: 'shop', plan: 'solo' });
    const owner = await openSignedIn(browser, culprit, 'small@example.test');
    await owner.page.goto(`${culprit.url}/projects/${project.projectId}/people?new=1`);
    await type(owner.page.getByLabel('E-mail'), 'third@example.test');
    await press(owner.page.getByRole('button', { name: 'Send invite' }));
    await owner.page.getByText("The organization's plan does not include this.").waitFor();

    const person = await signInAs(culprit, 'paused@example.test');
    await addMember(culprit, project, person.userId, 'member');
    const { page } = await openSignedIn(browser, culprit, 'paused@example.test');
    await page.goto(`${culprit.url}/projects/${project.projectId}/people`);
    await page.getByText("Access is paused: the owner's plan does not include other people.").waitFor();
    await page.getByText('Owner: small@example.test').waitFor();
  });
});
