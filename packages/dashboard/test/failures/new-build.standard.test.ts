import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { startCulprit, type TestCulprit } from '../../../server/test/support/culprit.ts';
import { ensureDashboard, startWithDashboard } from '../support/dashboard.ts';
import { copyBuild } from '../support/other-build.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { startStreamProxy } from '../support/stream-proxy.ts';

/** docs/contract/dashboard.md item 37: a page that is open while a newer build takes the place of its own. */

const OWNER = 'builds@example.test';

describe('a page that is older than the build', { timeout: 120_000 }, () => {
  let browser: Browser;
  let before: TestCulprit;
  let after: TestCulprit;
  let proxy: Awaited<ReturnType<typeof startStreamProxy>>;
  let laterBuild: string;
  beforeAll(async () => {
    await ensureDashboard();
    laterBuild = copyBuild();
    proxy = await startStreamProxy();
    [before, browser] = await Promise.all([startWithDashboard({ baseUrl: proxy.url }), launchBrowser()]);
    const { databaseUrl } = before;
    after = await startCulprit({
      databaseUrl,
      baseUrl: proxy.url,
      dashboardDirectory: laterBuild,
      hasWorker: false,
    });
    proxy.setTarget(before.url);
    await before.createProject({ email: OWNER, name: 'shop' });
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await after?.stop();
    await before?.stop();
    await proxy?.stop();
    rmSync(laterBuild, { recursive: true, force: true });
  });

  /** A page of the build before; from then on the service has the later one. */
  async function openBefore(): Promise<Page> {
    proxy.setTarget(before.url);
    const { page } = await openSignedIn(browser, { ...before, url: proxy.url }, OWNER);
    const ownBuild = page.waitForResponse('**/assets/build.json');
    await page.goto(`${proxy.url}/incidents`);
    await page.getByRole('link', { name: 'Services' }).waitFor();
    await ownBuild;
    proxy.setTarget(after.url);
    return page;
  }

  const scriptsOf = (page: Page) =>
    page
      .locator('script[type="module"]')
      .evaluateAll((scripts) => scripts.map((script) => script.getAttribute('src')));

  /** Waits until the page has been loaded again. */
  const expectLaterBuild = (page: Page) =>
    expect.poll(() => scriptsOf(page), { timeout: 20_000 }).toEqual([expect.stringMatching(/later\.js$/)]);

  it('offers the new one, and shows it once that is taken', async () => {
    const page = await openBefore();
    expect((await scriptsOf(page))[0]).not.toMatch(/later\.js$/);
    // Somebody looks away and comes back.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByText('A new version is ready.').waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await expectLaterBuild(page);
    await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor({ state: 'attached' });
    expect(await page.getByText('A new version is ready.').count()).toBe(0);
  });

  it('gets to a screen whose part is gone, by loading the page again on the way', async () => {
    const page = await openBefore();
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitem', { name: 'Organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'Organization' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/organization');
    expect((await scriptsOf(page))[0]).toMatch(/later\.js$/);
  });

  it('stays as it is where a part of the same screen is gone, and says what helps', async () => {
    const page = await openBefore();
    await page.keyboard.press('Control+k');
    await page.getByText('This part could not be loaded.', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Account / }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).last().click();
    await expectLaterBuild(page);
    await page.getByRole('button', { name: /^Account / }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor();
  });
});

describe('a build of which parts are gone for good', { timeout: 120_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  it.each([
    ['a screen', ['organization-page-'], 'This part could not be shown.'],
    ['the program', ['frame-'], 'The dashboard could not be loaded.'],
  ])('without %s leaves no blank page', async (_part, missing, words) => {
    await ensureDashboard();
    const directory = copyBuild({ isRenamed: false, missing });
    const culprit = await startWithDashboard({ dashboardDirectory: directory, duties: [] });
    try {
      await culprit.createProject({ email: OWNER, name: 'shop' });
      const { page } = await openSignedIn(browser, culprit, OWNER);
      await page.goto(`${culprit.url}/organization`);
      await page.getByText(words).waitFor();
    } finally {
      await culprit.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
