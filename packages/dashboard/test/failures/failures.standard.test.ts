import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect, type IncidentClient } from '../../../server/test/support/incident-client.ts';
import { codeIn, mailsTo, nextMail } from '../../../server/test/support/mailbox.ts';
import { reservePort } from '../../../server/test/support/reserved-port.ts';
import { createTestDatabase } from '../../../server/test/support/test-database.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/dashboard.md 2.8 and 2.9: what happens when something does not work. */

const OWNER = 'failures@example.test';

describe('when something fails', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let client: IncidentClient;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
    client = await connect(culprit, { email: OWNER, name: 'shop' });
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('a session that ends while somebody types is begun again over the page, and nothing typed is lost', async () => {
    const { page } = await openSignedIn(browser, culprit, OWNER);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/settings`);
    await page.getByLabel('Name', { exact: true }).fill('Another name');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save project' }).click();
    const dialog = page.getByRole('dialog', { name: 'The session has ended' });
    await dialog.waitFor();
    const seen = (await mailsTo(culprit.mailDirectory, OWNER, 'Sign-in code')).length;
    await culprit.database.query({ name: 'test-forget', text: 'delete from sign_in_mails' });
    await dialog.getByLabel('E-mail').fill(OWNER);
    await dialog.getByRole('button', { name: 'Send code' }).click();
    await dialog
      .getByLabel('Code')
      .fill(codeIn(await nextMail(culprit.mailDirectory, OWNER, seen, 'Sign-in code')));
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Another name');
    await page.getByRole('button', { name: 'Save project' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Project Another name' }).waitFor();
  });

  it('what was typed and not saved is there again after a reload', async () => {
    const { page } = await openSignedIn(browser, culprit, OWNER);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/settings`);
    await page.getByLabel('Short name').fill('kept-over-a-reload');
    await page.reload();
    await eventually(async () => {
      const value = await page.getByLabel('Short name').inputValue();
      if (value !== 'kept-over-a-reload') throw new Error(`there is "${value}"`);
    });
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(await page.getByLabel('Short name').inputValue()).not.toBe('kept-over-a-reload');
  });

  it('a lost connection is said, what was read stays, and all goes on by itself', async () => {
    const { page } = await openSignedIn(browser, culprit, OWNER);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/tokens`);
    await page.getByRole('table', { name: 'Tokens' }).waitFor();
    await page.context().setOffline(true);
    const banner = page.getByText('No connection to Culprit');
    await eventually(async () => {
      // Somebody looks away and comes back, upon which what is stale is read again.
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
      if (!(await banner.isVisible())) throw new Error('nothing is said yet');
    }, 60_000);
    expect(await page.getByRole('table', { name: 'Tokens' }).isVisible()).toBe(true);
    await page.getByText(/^Trying again in \d+ s$/).waitFor();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'hidden' });
  });

  it('a server that stops is told from one that answers, and what was typed is saved once it is back', async () => {
    const port = await reservePort();
    const place = {
      port,
      baseUrl: `http://127.0.0.1:${port}`,
      databaseUrl: await createTestDatabase(),
      duties: [],
    };
    const first = await startWithDashboard(place);
    const { projectId } = await first.createProject({ email: OWNER, name: 'shop' });
    const { page } = await openSignedIn(browser, first, OWNER);
    await page.goto(`${first.url}/projects/${projectId}/settings`);
    await page.getByLabel('Name', { exact: true }).fill('Typed before the end');
    await first.stop();
    await page.getByLabel('Short name').fill('typed-after-it');
    const save = page.getByRole('button', { name: 'Save project' });
    await save.click();
    await page.getByText('Culprit cannot be reached from here.').first().waitFor();
    await save.click();
    const banner = page.getByText('No connection to Culprit');
    await banner.waitFor();
    await page.getByText(/^Trying again in \d+ s$/).waitFor();

    const second = await startWithDashboard(place);
    try {
      await banner.waitFor({ state: 'hidden', timeout: 90_000 });
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed before the end');
      expect(await page.getByLabel('Short name').inputValue()).toBe('typed-after-it');
      await save.click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Project Typed before the end' }).waitFor();
    } finally {
      await page.context().close();
      await second.stop();
    }
  });

  it('an address of nothing says so', async () => {
    const { page } = await openSignedIn(browser, culprit, OWNER);
    for (const path of ['/nothing', '/projects/x/nothing', '/incidents/inc_none/x']) {
      await page.goto(`${culprit.url}${path}`);
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    }
  });

  it('a way to sign in that failed has its words, and what an address makes up is not shown', async () => {
    const { page } = await openWatchedPage(browser, culprit.url);
    for (const [error, words] of [
      ['github_cancelled', 'Signing in with GitHub was cancelled. Try again, or sign in with a code.'],
      ['github_email_missing', 'GitHub gave no verified address. Verify one there, or sign in with a code.'],
      ['signup_closed', 'This server does not accept new accounts. Ask its operator for an invite.'],
      [
        'github_identity_conflict',
        'This GitHub account belongs to another account here. Sign in with a code.',
      ],
      ['github_unavailable', 'GitHub did not answer. Try again, or sign in with a code.'],
      ['code_of_a_newer_server', 'code_of_a_newer_server'],
      ['Call +1 555 0100 to unlock', 'Sign-in failed. Try again, or sign in another way.'],
    ]) {
      await page.goto(`${culprit.url}/login?${new URLSearchParams({ error: error ?? '' })}`);
      await soon(() => page.getByRole('alert').allTextContents()).toEqual([words]);
    }
  });

  it('a code is asked for again after a pause that is counted down, and is used up after five wrong tries', async () => {
    const { page } = await openWatchedPage(browser, culprit.url);
    await page.goto(`${culprit.url}/login?return_to=//evil.example`);
    await page.getByLabel('E-mail').fill('used-up@example.test');
    // This server has no GitHub.
    expect(await page.getByRole('link', { name: /GitHub/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send code' }).click();
    const again = page.getByRole('button', { name: /^Send again/ });
    const secondsLeft = async () => Number(/in (\d+) s/.exec((await again.textContent()) ?? '')?.[1]);
    const before = await secondsLeft();
    expect(before).toBeLessThanOrEqual(30);
    await soon(secondsLeft).toBeLessThan(before);
    expect(await again.getAttribute('aria-disabled')).toBe('true');
    const sent = await nextMail(culprit.mailDirectory, 'used-up@example.test', 0, 'Sign-in code');
    const wrong = codeIn(sent) === '000000' ? '111111' : '000000';
    const field = page.getByLabel('Code');
    await field.fill('12345');
    await field.press('Enter');
    await page.getByRole('alert').getByText('The code has six digits. Enter all of them.').waitFor();
    // A connection that breaks says nothing about the code, which stays and costs no try.
    await page.route('**/v1/auth/verify-code', (route) => route.abort());
    await field.fill(wrong);
    await page.getByRole('alert').getByText('Culprit cannot be reached from here.').waitFor();
    expect(await field.inputValue()).toBe(wrong);
    // Each digit stands in its cell.
    expect(await field.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.unroute('**/v1/auth/verify-code');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This code is wrong').waitFor();
    await soon(() => field.inputValue()).toBe('');
    for (const words of [
      ...Array(3).fill('This code is wrong'),
      'This code can no longer be used. Send a new one.',
    ]) {
      await field.fill(wrong);
      await page.getByRole('alert').getByText(words).waitFor();
      await soon(() => field.inputValue()).toBe('');
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    }
    await page.getByRole('button', { name: 'Use another address' }).click();
    await page.getByLabel('E-mail').fill('used-up@example.test');
    await page.getByRole('button', { name: /^(?:Send code|Again in)/ }).waitFor();
  });

  it('signing out empties memory and storage here and in every other tab, and going back shows nothing', async () => {
    const { page } = await openSignedIn(browser, culprit, OWNER);
    const list = `${culprit.url}/projects/${client.project.projectId}/tokens`;
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/settings`);
    await page.getByLabel('Short name').fill('never-saved');
    const other = await page.context().newPage();
    await other.goto(list);
    await other.getByRole('table', { name: 'Tokens' }).waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [page, other]) {
      await tab.waitForURL(/\/login/);
      await tab.getByLabel('E-mail').waitFor();
      const kept = await tab.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
      expect(kept).not.toContain('never-saved');
      expect(kept).not.toContain(client.project.projectId);
      await tab.goBack();
      await tab.getByLabel('E-mail').waitFor();
      expect(await tab.getByRole('table').count()).toBe(0);
      expect(await tab.locator('body').innerText()).not.toContain('shop');
    }
  });
});
