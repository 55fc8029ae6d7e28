import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { packedSdk } from '../../../sdk-test-hosts/packed-sdk.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { type PageSite, startPageSite } from './page-site.ts';
import { type RecordingEndpoint, startRecordingEndpoint } from './recording-endpoint.ts';

export const TOKEN = `svc_proj_${'t'.repeat(43)}`;

/** A page with the library on one origin, the ingestion that it sends to on another, and a third one. */
export interface PageLab {
  site: PageSite;
  /** Somebody else's origin. */
  other: PageSite;
  endpoint: RecordingEndpoint;
  browser: Browser;
  /**
   * Opens a page whose library is the packed script.
   * @param init text of the options of `init`, added to token and endpoint; null to leave `init` to the test
   * @param html what the page holds after it
   * @param before script that runs before the library
   */
  open(init?: string | null, html?: string, before?: string): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  /** What the page wrote to its console, and errors that nobody caught. */
  console: string[];
  /** Sends what waits. */
  flush(): Promise<void>;
}

export async function openPageLab(): Promise<PageLab> {
  const { nodeModules } = await packedSdk();
  const script = readFileSync(join(nodeModules, '@culprit/browser/dist/script.js'), 'utf8');
  const [browser, site, other, endpoint] = await Promise.all([
    launchBrowser(),
    startPageSite(),
    startPageSite(),
    startRecordingEndpoint(),
  ]);
  site.serve('/culprit.js', 'text/javascript', script);
  let pages = 0;
  return {
    site,
    other,
    endpoint,
    browser,
    async open(init = '', html = '', before = '') {
      pages += 1;
      const path = `/page-${pages}`;
      const start =
        init === null ? '' : `culprit.init({ token: '${TOKEN}', endpoint: '${endpoint.origin}', ${init} });`;
      site.serve(
        path,
        'text/html',
        `<!doctype html><title>Page</title><script>${before}</script><script src="/culprit.js"></script>` +
          `<script>${start}</script><body>${html}</body>`,
      );
      const context = await browser.newContext();
      const page = await context.newPage();
      const lines: string[] = [];
      page.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
      await page.goto(`${site.origin}${path}?secret=of-the-page#fragment`);
      return {
        page,
        context,
        console: lines,
        flush: async () => void (await page.evaluate('culprit.flush()')),
      };
    },
    async close() {
      await browser.close();
      await Promise.all([site.close(), other.close(), endpoint.close()]);
    },
  };
}
