import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';

describe('the API reference in a browser', () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startCulprit({ hasWorker: false }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('shows every endpoint, leads to one by its link, and asks nobody else for anything', async () => {
    const page = await browser.newPage({ locale: 'en-US' });
    const problems: string[] = [];
    const foreign: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(culprit.url)) foreign.push(request.url());
    });
    await page.goto(`${culprit.url}/docs`);
    expect(await page.title()).toContain('Culprit');
    const text = await page.innerText('body');
    for (const path of ['/v1/events', '/v1/incidents', '/v1/incidents/:id/bundle', '/v1/services']) {
      expect(text).toContain(path);
    }
    await page
      .getByRole('link', { name: /bundle/i })
      .first()
      .click();
    expect(new URL(page.url()).hash).not.toBe('');
    expect(problems).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('keeps the contents in view beside the text on a wide screen', async () => {
    const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1200, height: 900 } });
    await page.goto(`${culprit.url}/docs#createWebhook`);
    const navigation = await page.getByRole('navigation').boundingBox();
    const text = await page.getByRole('main').boundingBox();
    expect(navigation?.y).toBe(0);
    expect((navigation?.x ?? 0) + (navigation?.width ?? 0)).toBeLessThanOrEqual(text?.x ?? 0);
  });

  it('fits a narrow screen, where the content comes first and the contents are one link away', async () => {
    const page = await browser.newPage({ locale: 'en-US', viewport: { width: 380, height: 800 } });
    await page.goto(`${culprit.url}/docs`);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    const navigation = await page.getByRole('navigation').boundingBox();
    expect(heading?.y).toBeLessThan(200);
    expect(navigation?.y).toBeGreaterThan(10_000);
    await page.getByRole('link', { name: 'Contents', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#contents');
    if (process.env.CULPRIT_TEST_SCREENSHOT !== undefined) {
      await page.screenshot({ path: process.env.CULPRIT_TEST_SCREENSHOT });
      const wide = await browser.newPage({ viewport: { width: 1200, height: 900 } });
      await wide.goto(`${culprit.url}/docs#postEvents`);
      await wide.screenshot({ path: `${process.env.CULPRIT_TEST_SCREENSHOT}.wide.png` });
    }
  });
});
