import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { keepUnanswered } from './settled.ts';

/** A page whose console, errors and requests are kept: a test fails on any that should not be. */
export interface WatchedPage {
  page: Page;
  /**
   * Throws when the page wrote to its console, broke its policy, or asked anybody but the service. Chromium itself writes
   * down each answer that is a refusal; those that belong to the story are named by their status.
   */
  expectQuiet(...refusals: number[]): void;
}

/**
 * What Chromium writes to the console by itself: reading the session without one is answered 401, and a service on a
 * machine that is too busy answers 503, upon which the page asks again.
 */
const EXPECTED = /Failed to load resource: the server responded with a status of (?:401|503)/;

/** @param url of the service; several where it is asked for under more than one name of the machine */
export async function openWatchedPage(
  browser: Browser,
  url: string | readonly string[],
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'Europe/Berlin', ...options });
  const page = await context.newPage();
  keepUnanswered(page);
  const addresses = typeof url === 'string' ? [url] : url;
  const noise: string[] = [];
  page.on('console', (message) => {
    if (!EXPECTED.test(message.text())) noise.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const isOwn = addresses.some((address) => request.url().startsWith(`${address}/`));
    if (!isOwn) noise.push(`foreign request: ${request.url()}`);
  });
  return {
    page,
    expectQuiet: (...refusals) => {
      const expected = refusals.map((status) => `responded with a status of ${status} `);
      expect(noise.filter((line) => !expected.some((words) => line.includes(words)))).toEqual([]);
    },
  };
}
