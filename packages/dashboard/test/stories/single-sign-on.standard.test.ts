import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { postProgram, startProgram } from '../../../server/test/support/cli-sign-in-client.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { oidcSettingsFor } from '../../../server/test/support/oidc-client.ts';
import { type OidcServer, startOidcServer } from '../../../server/test/support/oidc-server.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/team-workflow.md 9: a person of a company signs in, and lets a terminal in. */
describe('single sign-on', { timeout: 120_000 }, () => {
  let provider: OidcServer;
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    provider = await startOidcServer();
    [culprit, browser] = await Promise.all([
      startWithDashboard({ hasWorker: false, oidc: oidcSettingsFor(provider) }),
      launchBrowser(),
    ]);
    provider.serve(culprit.baseUrl);
    provider.people.set('ada', { email: 'ada@example.test', email_verified: true });
    await culprit.createProject({ email: 'ada@example.test', name: 'shop' });
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
    await provider?.close();
  });

  it('a person who cancels is told so, signs in at the second try, and approves the code of a terminal', async () => {
    const { page, expectQuiet } = await openWatchedPage(browser, [culprit.url, provider.issuer]);
    const program = await startProgram(culprit, 'laptop of Ada');
    await page.goto(`${culprit.url}/cli?code=${program.userCode}`);
    const entry = page.getByRole('link', { name: 'Continue with Test provider' });
    await press(entry);
    await press(page.getByRole('link', { name: 'Cancel' }));
    await page.getByRole('alert').getByText('The sign-in was cancelled at the provider.').waitFor();

    await page.goto(`${culprit.url}/cli?code=${program.userCode}`);
    await press(entry);
    await press(page.getByRole('link', { name: 'ada' }));
    await page.waitForURL(`${culprit.url}/cli?code=${program.userCode}`);
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe(program.userCode);
    await press(page.getByRole('button', { name: 'Continue' }));
    await page.getByText('laptop of Ada').waitFor();
    await page.getByText('ada@example.test').first().waitFor();
    await page.getByLabel('It may').selectOption('read');
    await press(page.getByRole('button', { name: 'Approve' }));
    await page.getByRole('status').getByText('The terminal is signed in.').waitFor();
    const { status, body } = await postProgram(culprit, 'claim', { request_id: program.requestId });
    expect(status).toBe(200);
    expect(body).toMatchObject({ token: { label: 'laptop of Ada', access: 'read' } });

    // A code that is used up is like a wrong one.
    await page.goto(`${culprit.url}/cli`);
    await type(page.getByRole('textbox', { name: 'Code' }), program.userCode.toLowerCase());
    await press(page.getByRole('button', { name: 'Continue' }));
    await page.getByText('This code is wrong, used or expired.').waitFor();
    expectQuiet(404);
  });
});
