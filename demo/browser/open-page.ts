import type { Browser, Page as BrowserPage } from 'playwright-core';
import { type Delivery, deliveryOf, readCounts } from '../service/delivery.ts';

/** The shop's page in a real browser. Its failures reach Culprit by the library that it loads. */
export interface Page {
  readonly traceId: string;
  /** The requests of the page and the answers of the shop, such as `POST /api/checkout 500`, and the failures in it. */
  readonly trail: readonly string[];
  /** Resolves when the page has dealt with the answer. */
  click(selector: string): Promise<void>;
  /** Fills the fields of a form and sends it. */
  submit(selector: string, values: Readonly<Record<string, string>>): Promise<void>;
  /** Lets the library send what waits, and leaves the page. */
  close(): Promise<Delivery>;
}

/** @param origin of the shop */
export async function openPage(browser: Browser, origin: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const trail = followTrail(page, origin);
  await page.goto(`${origin}/`, { waitUntil: 'load' });
  return {
    traceId: String(await page.evaluate('culprit.getTraceId()')),
    trail,
    async click(selector) {
      await page.click(selector);
      await untilIdle(page);
    },
    async submit(selector, values) {
      for (const [name, value] of Object.entries(values)) {
        await page.fill(`${selector} [name="${name}"]`, value);
      }
      await page.click(`${selector} [type="submit"]`);
      await untilIdle(page);
    },
    async close() {
      await page.evaluate('culprit.flush()');
      const counts = readCounts(await page.evaluate('culprit.getDiagnostics()'));
      await context.close();
      return deliveryOf(counts);
    },
  };
}

/** The page says that it is busy from a call until its answer is read. */
async function untilIdle(page: BrowserPage): Promise<void> {
  await page.waitForFunction("document.body.ariaBusy !== 'true'");
}

function followTrail(page: BrowserPage, origin: string): string[] {
  const trail: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/api/'))
      trail.push(`${response.request().method()} ${pathname} ${response.status()}`);
    else if (response.status() >= 400) trail.push(`${pathname} ${response.status()}`);
  });
  page.on('pageerror', ({ name, stack = '' }) => {
    trail.push(stack.includes(origin) ? `${name} in the page` : 'error in a script of another origin');
  });
  return trail;
}
