import type { Page, Request } from 'playwright-core';
import { soon } from './soon.ts';

const unanswered = new WeakMap<Page, Set<Request>>();

/** Keeps what the page has asked for and not got yet; the stream of changes stays open, so it does not count. */
export function keepUnanswered(page: Page): void {
  const requests = new Set<Request>();
  unanswered.set(page, requests);
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') requests.add(request);
  });
  const forget = (request: Request) => requests.delete(request);
  page.on('requestfinished', forget);
  page.on('requestfailed', forget);
}

/**
 * Waits until the page has all it asked for, has painted it, and asks for nothing more because of it. It takes the half
 * second less that Playwright's `networkidle` waits each time.
 */
export async function settled(page: Page): Promise<void> {
  const requests = unanswered.get(page) ?? new Set();
  await soon(async () => {
    const before = requests.size;
    await page.evaluate(async () => {
      await document.fonts.ready;
      await new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)));
    });
    return before + requests.size;
  }).toBe(0);
}
