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

  it('fits a narrow screen', async () => {
    const page = await browser.newPage({ locale: 'en-US', viewport: { width: 380, height: 800 } });
    await page.goto(`${culprit.url}/docs`);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    if (process.env.CULPRIT_TEST_SCREENSHOT !== undefined) {
      await page.screenshot({ path: process.env.CULPRIT_TEST_SCREENSHOT });
      const wide = await browser.newPage({ viewport: { width: 1200, height: 900 } });
      await wide.goto(`${culprit.url}/docs#postEvents`);
      await wide.screenshot({ path: `${process.env.CULPRIT_TEST_SCREENSHOT}.wide.png` });
    }
  });
});
