import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../server/test/support/browser.ts';
import { startCulprit, type TestCulprit } from '../../server/test/support/culprit.ts';
import { eventually } from '../../server/test/support/eventually.ts';
import { readOccurrences } from '../../server/test/support/stored-events.ts';
import { bundlePage } from './support/page-bundle.ts';
import { type PageSite, startPageSite } from './support/page-site.ts';

/** The shortest whole way: a page in a real browser, the packed library, a real service. */

let culprit: TestCulprit;
let browser: Browser;
let site: PageSite;

beforeAll(async () => {
  [culprit, browser, site] = await Promise.all([startCulprit(), launchBrowser(), startPageSite()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await culprit?.stop();
});

describe('a page that sends to the service itself', () => {
  it('opens incidents for a thrown error, a rejection and a captured one', async () => {
    const project = await culprit.createProject();
    const token = await culprit.createProjectToken(project.projectId, [site.origin]);
    const script = await bundlePage(`
      import { captureException, flush, init } from '@culprit/browser';
      window.isActive = init({ token: ${JSON.stringify(token)}, endpoint: ${JSON.stringify(culprit.url)}, service: 'web' });
      setTimeout(() => { throw new TypeError('thrown by a timer'); });
      Promise.reject(new RangeError('nobody handles this'));
      captureException(new Error('captured by hand'));
      window.flushed = new Promise((resolve) => setTimeout(() => flush(10000).then(resolve), 100));
    `);
    site.serve('/app.js', 'text/javascript', script);
    site.serve('/', 'text/html', '<!doctype html><title>Shop</title><script src="/app.js"></script>');
    const page = await browser.newPage();
    await page.goto(`${site.origin}/`);
    expect(await page.evaluate('isActive')).toBe(true);
    expect(await page.evaluate('flushed')).toBe(true);
    await eventually(async () => {
      expect(await readOccurrences(culprit, project.projectId)).toEqual([
        { title: expect.stringContaining('captured by hand'), occurrences: 1 },
        { title: expect.stringContaining('nobody handles this'), occurrences: 1 },
        { title: expect.stringContaining('thrown by a timer'), occurrences: 1 },
      ]);
    });
    await page.close();
  });
});
