import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { openWatchedPage, type WatchedPage } from './watched-page.ts';

/** A page of somebody who is signed in already; the way there has tests of its own. */
export async function openSignedIn(
  browser: Browser,
  culprit: TestCulprit,
  email: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openWatchedPage(browser, culprit.url, options);
  const { cookie } = await culprit.signIn(email);
  const [name = '', value = ''] = cookie.split('=');
  await watched.page
    .context()
    .addCookies([{ name, value, url: culprit.url, httpOnly: true, sameSite: 'Lax' }]);
  return watched;
}
