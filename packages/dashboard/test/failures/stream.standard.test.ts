import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect, type IncidentClient } from '../../../server/test/support/incident-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { type StreamFate, type StreamProxy, startStreamProxy } from '../support/stream-proxy.ts';

/** docs/contract/dashboard.md 2.7, checklist 12 and 30: live data, with the stream and without it. */

const OWNER = 'stream@example.test';
/** Longer than it takes to be told, shorter than the pause between reads while the stream is there. */
const TOLD_WITHIN_MS = 60_000;

describe('the list while things change', { timeout: 240_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let proxy: StreamProxy;
  let client: IncidentClient;
  beforeAll(async () => {
    proxy = await startStreamProxy();
    [culprit, browser] = await Promise.all([startWithDashboard({ baseUrl: proxy.url }), launchBrowser()]);
    proxy.setTarget(culprit.url);
    client = await connect(culprit, { email: OWNER, name: 'shop' });
    await fail('First');
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await proxy?.stop();
    await culprit?.stop();
  });

  async function fail(kind: string): Promise<void> {
    const stacktrace = `${kind}Error: it broke\n    at ${kind.toLowerCase()} (/srv/app/src/${kind}.js:1:1)`;
    const payload = { error_class: `${kind}Error`, message: 'it broke', stacktrace };
    await client.send(EX({ payload }));
    await eventually(async () => {
      const titles = (await client.list()).map(({ title }) => title);
      if (!titles.includes(`${kind}Error: it broke`)) throw new Error(`there is ${titles.join(', ')}`);
    }, 60_000);
  }

  async function openList(fate: StreamFate): Promise<Page> {
    proxy.setFate(fate);
    const { page } = await openSignedIn(browser, { ...culprit, url: proxy.url }, OWNER);
    await page.clock.install();
    const before = proxy.greetings();
    await page.goto(`${proxy.url}/projects/${client.project.projectId}/incidents`);
    await rowOf(page, 'First').waitFor();
    if (fate === 'passed') {
      await eventually(async () => {
        if (proxy.greetings() === before) throw new Error('the stream did not begin');
      }, 60_000);
    }
    return page;
  }

  const rowOf = (page: Page, kind: string) =>
    page.getByRole('table', { name: 'Incidents' }).getByRole('link', { name: `${kind}Error` });
  const titlesOn = (page: Page) => page.locator('[data-row]').allTextContents();

  /** Lets time pass on the page, with what it asks for on the way. */
  async function pass(page: Page, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 5000) {
      await page.clock.runFor(5000);
      await page.waitForLoadState('networkidle');
    }
  }

  it('shows what is new by itself: told, and by asking where the stream is refused, cut or kept back', async () => {
    const told = await openList('passed');
    await fail('Told');
    await rowOf(told, 'Told').waitFor({ timeout: TOLD_WITHIN_MS });
    proxy.setFate('cut');
    await fail('Cut');
    await pass(told, 30_000);
    await rowOf(told, 'Cut').waitFor();

    const refused = await openList('refused');
    await fail('Refused');
    await pass(refused, 30_000);
    await rowOf(refused, 'Refused').waitFor();

    const keptBack = await openList('kept back');
    await fail('Back');
    await pass(keptBack, 30_000);
    await rowOf(keptBack, 'Back').waitFor();

    // Whatever the way, they end with the same rows.
    await pass(told, 70_000);
    await pass(refused, 70_000);
    const expected = (await client.list()).map(({ title }) => title);
    for (const page of [told, refused, keptBack]) expect(await titlesOn(page)).toEqual(expected);
    for (const page of [told, refused, keptBack]) await page.context().close();
  });

  it('asks at most twice a minute while it is told, and ten times while it is not', async () => {
    for (const [fate, most] of [
      ['passed', 2],
      ['refused', 10],
    ] as const) {
      const page = await openList(fate);
      await pass(page, 30_000);
      const before = proxy.asked.length;
      await pass(page, 600_000);
      const asked = proxy.asked.slice(before);
      expect(asked.length / 10, `${fate}: ${asked.join('\n')}`).toBeLessThanOrEqual(most);
      expect(asked.length).toBeGreaterThan(0);
      await page.context().close();
    }
  });

  it('two tabs share one stream, and the second is told too', async () => {
    const page = await openList('passed');
    const greetings = proxy.greetings();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await rowOf(second, 'First').waitFor();
    await second.waitForLoadState('networkidle');
    await page.bringToFront();
    await fail('Both');
    await rowOf(second, 'Both').waitFor({ timeout: TOLD_WITHIN_MS });
    await rowOf(page, 'Both').waitFor({ timeout: TOLD_WITHIN_MS });
    expect(proxy.greetings()).toBe(greetings);
    await page.context().close();
  });

  it('moves no row under the pointer, the focus, the selection or the scroll position', async () => {
    const page = await openList('passed');
    const offer = page.getByRole('button', { name: /changed · show/ });
    const uses: [kind: string, begin: () => Promise<void>, end: () => Promise<void>][] = [
      ['Hover', () => rowOf(page, 'First').hover(), () => page.mouse.move(0, 0)],
      [
        'Focus',
        () => rowOf(page, 'First').focus(),
        () => page.getByRole('button', { name: /^View/ }).focus(),
      ],
      [
        'Choose',
        () => page.getByRole('checkbox', { name: 'Select FirstError: it broke' }).check(),
        () => page.getByRole('button', { name: 'Clear' }).click(),
      ],
    ];
    for (const [kind, begin, end] of uses) {
      await begin();
      const before = await titlesOn(page);
      const box = await rowOf(page, 'First').boundingBox();
      await fail(kind);
      await offer.waitFor({ timeout: TOLD_WITHIN_MS });
      expect(await offer.textContent()).toBe('1 changed · show');
      expect(await titlesOn(page), kind).toEqual(before);
      expect(await rowOf(page, 'First').boundingBox(), kind).toEqual(box);
      await end();
      await offer.click();
      await rowOf(page, kind).waitFor();
      await page.mouse.move(0, 0);
    }
    // Scrolled: the window is too low for the rows that there are.
    await page.setViewportSize({ width: 1440, height: 320 });
    await page.evaluate(() => window.scrollTo(0, 60));
    const before = await titlesOn(page);
    const box = await rowOf(page, 'First').boundingBox();
    await fail('Scroll');
    await offer.waitFor({ timeout: TOLD_WITHIN_MS });
    expect(await titlesOn(page)).toEqual(before);
    expect(await rowOf(page, 'First').boundingBox()).toEqual(box);
    await page.context().close();
  });
});
