// Proves 45.
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import {
  hostileSource,
  hostileSourceEvent,
  SOURCE_MARK,
} from '../../../server/test/support/hostile-source.ts';
import { connect, type IncidentClient } from '../../../server/test/support/incident-client.ts';
import { uploadMaps } from '../../../server/test/support/map-client.ts';
import { sendEvents } from '../../../server/test/support/send-events.ts';
import { pathTo } from '../../src/paths.ts';
import { copiedBy } from '../support/copied.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { settled } from '../support/settled.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { HOSTILE_TEXTS, hostileEvents, hostileNames } from './hostile-events.ts';

/** docs/contract/dashboard.md 7 and 10, checklist 31: 300 events that want to be more than text. */

/** Those that show what applications sent, besides incidents. */
const SCREENS = [
  'project',
  'services',
  'tail',
  'improvements',
  'newAlert',
  'newWebhook',
  'newCheck',
  'capture',
  'newCaptureRule',
  'intake',
  'probes',
  'reports',
  'people',
  'projectSettings',
  'organization',
] as const;
const OWNER = 'hostile-corpus@example.test';
/** Few enough for the limits of one request, long texts included. */
const BATCH = 3;
/** Characters that nobody sees, or that turn round what follows. */
const UNSEEN = /(?![\n\r\t])\p{Cc}|[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

describe('300 hostile events', { timeout: 300_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let client: IncidentClient;
  let ids: string[];
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
    client = await connect(culprit, { email: OWNER, name: '"><img src=x onerror=window.broken=1>' });
    const events = hostileEvents();
    for (let from = 0; from < events.length; from += BATCH)
      await client.send(...events.slice(from, from + BATCH));
    await client.counted(...HOSTILE_TEXTS.map(() => events.length / HOSTILE_TEXTS.length));
    ids = (await client.list({ limit: '100' })).map(({ incident_id: id }) => id);
    for (const id of ids) await client.bundle(id);
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  /** Nothing ran, nothing leads elsewhere, nothing is made of markup, and the page holds its width. */
  async function expectInert(page: Page, place: string): Promise<void> {
    expect(await page.evaluate(() => 'broken' in window), place).toBe(false);
    const hrefs = await page
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(
      hrefs.filter((href) => !/^[/#](?!\/)/.test(href)),
      place,
    ).toEqual([]);
    const foreign = 'main :is(img, script, style, iframe, object, embed, base, meta, form[action])';
    expect(await page.locator(foreign).count(), place).toBe(0);
    const handlers = await page.evaluate(
      () =>
        [...document.querySelectorAll('*')].filter((element) =>
          [...element.attributes].some(({ name }) => name.startsWith('on')),
        ).length,
    );
    expect(handlers, place).toBe(0);
    expect(UNSEEN.test(await page.title()), `${place}: title`).toBe(false);
    expect(UNSEEN.exec(await page.locator('body').innerText())?.[0], place).toBeUndefined();
    const over = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(over, `${place}: width`).toBeLessThanOrEqual(0);
  }

  async function expectInertAtWidths(page: Page, place: string): Promise<void> {
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      await expectInert(page, `${place} at ${width}`);
    }
  }

  it('are text on the list and on their pages, on screen and printed', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await page.goto(`${culprit.url}/incidents`);
    await page.getByRole('table', { name: 'Incidents' }).getByRole('link').first().waitFor();
    await settled(page);
    await expectInertAtWidths(page, 'list');
    for (const id of ids) {
      await page.goto(`${culprit.url}/incidents/${id}`);
      await page.getByRole('heading', { name: 'Grouping' }).waitFor();
      await settled(page);
      const title = await page.title();
      await expectInertAtWidths(page, title);
      await page.emulateMedia({ media: 'print' });
      await expectInertAtWidths(page, `${title}, printed`);
      await page.emulateMedia({ media: 'screen' });
    }
    expectQuiet();
  });

  it('are text on every other screen of the project, as names too', async () => {
    const { project } = client;
    for (const event of hostileNames()) await sendEvents(culprit.url, project.projectToken, [event]);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    const ids = { pid: project.projectId };
    for (const name of SCREENS) {
      await page.goto(culprit.url + pathTo(name, ids));
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await settled(page);
      await expectInertAtWidths(page, name);
    }
    await page.goto(culprit.url + pathTo('services', ids));
    const services = page.getByRole('table', { name: 'Services' });
    await services.getByText('<script>window.broken = 1</script>').first().waitFor();
    expectQuiet();
  });

  it('and the lines of a source that a map has are text at each frame', async () => {
    const debugId = randomUUID();
    await uploadMaps(culprit, client.project, [hostileSource(debugId)]);
    await client.send(hostileSourceEvent(debugId));
    await client.processed();
    const [incident] = await client.list({ q: 'hostile', service: 'shop-web' });
    const id = incident?.incident_id ?? '';
    await client.bundle(id);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await page.goto(`${culprit.url}/incidents/${id}`);
    const source = page.getByRole('region', { name: 'Source', exact: true });
    await source.getByText(SOURCE_MARK).first().waitFor();
    expect(await source.innerText()).toContain(`<script>window.broken = 1</script> ${SOURCE_MARK}`);
    await expectInertAtWidths(page, 'source lines');
    expectQuiet();
  });

  it('are text in an occurrence, the palette, the peek, rules and toasts, and copied as they are', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER, {
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: { width: 1440, height: 900 },
    });
    await page.goto(`${culprit.url}/incidents`);
    await page.getByRole('table', { name: 'Incidents' }).getByRole('link').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('Hostile');
    await page.getByRole('option').nth(3).waitFor();
    await expectInert(page, 'palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await page
      .getByRole('complementary', { name: 'Preview' })
      .getByRole('heading', { name: /^(?:Stack|Hint|Request)$/ })
      .first()
      .waitFor();
    await expectInert(page, 'peek');

    for (const index of [0, 4, 9, 13, 19, 22, 23]) {
      const type = `Hostile${String.fromCharCode(65 + Math.floor(index / 26), 97 + (index % 26))}Error`;
      const id = (await client.list({ q: type }))[0]?.incident_id ?? '';
      await page.goto(`${culprit.url}/incidents/${id}?event=evt-hostile-${index}-3`);
      await page.getByRole('region', { name: 'About this event' }).getByText(type).first().waitFor();
      await expectInert(page, `occurrence ${index}`);
      expect(JSON.parse(await copiedBy(page, 'c', 'j'))).toEqual(await client.bundle(id));
      await page.keyboard.press('r');
      await page.getByRole('dialog', { name: 'Filter events like these' }).waitFor();
      await settled(page);
      await expectInert(page, `rules of ${index}`);
      await page.keyboard.press('Escape');
    }
    expectQuiet();
  });
});
