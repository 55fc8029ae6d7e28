import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { postProgram, startProgram } from '../../../server/test/support/cli-sign-in-client.ts';
import type { TestCulprit, TestProject } from '../../../server/test/support/culprit.ts';
import { oidcSettingsFor, openOidcBrowser } from '../../../server/test/support/oidc-client.ts';
import { type OidcServer, startOidcServer } from '../../../server/test/support/oidc-server.ts';
import { sendRequest } from '../../../server/test/support/send-events.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { expectSoundLooks, violationsOn } from '../support/sound-looks.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/team-workflow.md 9: a person of a company signs in, and lets a terminal in. */
describe('single sign-on', { timeout: 120_000 }, () => {
  let provider: OidcServer;
  let culprit: TestCulprit;
  let browser: Browser;
  let project: TestProject;
  beforeAll(async () => {
    provider = await startOidcServer();
    [culprit, browser] = await Promise.all([
      startWithDashboard({ hasWorker: false, oidc: oidcSettingsFor(provider) }),
      launchBrowser(),
    ]);
    provider.serve(culprit.baseUrl);
    provider.people.set('ada', { email: 'ada@example.test', email_verified: true });
    project = await culprit.createProject({ email: 'ada@example.test', name: 'shop' });
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
    await provider?.close();
  });

  async function signInAs(name: string, groups: string[]): Promise<void> {
    provider.people.set(name, { email: `${name}@example.test`, email_verified: true, groups });
    expect(await openOidcBrowser(culprit, provider).signIn(name)).not.toContain('error');
  }

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
    await page.getByLabel('Access').selectOption('read');
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

  it('an owner gives a group a role, changes it and deletes it, and a person of the group gets what it says', async () => {
    const path = `${culprit.url}/v1/projects/${project.projectId}/teams`;
    const token = project.memberToken;
    await sendRequest(path, { token, json: { slug: 'payments', name: 'Payments' } });
    const { page, expectQuiet } = await openWatchedPage(browser, [culprit.url, provider.issuer]);
    await page.goto(`${culprit.url}/organization`);
    await press(page.getByRole('link', { name: 'Continue with Test provider' }));
    await press(page.getByRole('link', { name: 'ada' }));
    await page.getByText('No groups yet.').waitFor();
    await expectSoundLooks(page, 'without groups');
    const hostile = `<img src=x onerror="window.broken=1">${String.fromCodePoint(0x202e)}${'g'.repeat(120)}`;
    const dialog = page.getByRole('dialog');
    const groups = page.getByRole('table', { name: 'Groups' });
    const teamOf = async () => {
      const { body } = await sendRequest(path, { method: 'GET', token });
      return /"email":"grace@example\.test".*?"source":"(\w+)"/.exec(JSON.stringify(body))?.[1] ?? null;
    };
    const roleOf = async () => {
      await signInAs('grace', [hostile]);
      const { body } = await sendRequest(`${culprit.url}/v1/projects/${project.projectId}/members`, {
        method: 'GET',
        token: project.memberToken,
      });
      return /"email":"grace@example\.test".*?"role":"(\w+)"/.exec(JSON.stringify(body))?.[1] ?? null;
    };

    await press(page.getByRole('button', { name: 'Add group' }));
    await type(dialog.getByLabel('Group'), hostile);
    await choose(dialog.getByLabel('Projects'), 'shop');
    expect(await violationsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Save group' }));
    await groups.getByRole('cell', { name: 'member', exact: true }).waitFor();
    expect(await groups.innerText()).not.toContain(String.fromCodePoint(0x202e));
    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
    await expectSoundLooks(page, 'with a long group');
    expect([await roleOf(), await teamOf()]).toEqual(['member', null]);

    // The same group in the same project is one grant.
    await press(page.getByRole('button', { name: 'Add group' }));
    await type(dialog.getByLabel('Group'), hostile);
    await choose(dialog.getByLabel('Projects'), 'shop');
    await dialog.getByText('This group already has a role there').waitFor();
    await press(dialog.getByRole('button', { name: 'Cancel' }));

    await press(page.getByRole('button', { name: /^Edit <img.*in shop$/ }));
    await choose(dialog.getByLabel('Role'), 'admin');
    await choose(dialog.getByLabel('Team'), 'Payments');
    await press(dialog.getByRole('button', { name: 'Save group' }));
    await groups.getByRole('cell', { name: 'admin', exact: true }).waitFor();
    await groups.getByRole('cell', { name: 'Payments', exact: true }).waitFor();
    expect(await groups.getByRole('row').count()).toBe(2);
    expect([await roleOf(), await teamOf()]).toEqual(['admin', 'oidc']);

    await press(page.getByRole('button', { name: /^Delete <img.*in shop$/ }));
    // A deletion that is refused says so, and can be tried again.
    const grants = '**/v1/organization/group-grants/*';
    await page.route(grants, (route) =>
      route.fulfill({ status: 503, json: { error: 'service_unavailable' } }),
    );
    await press(page.getByRole('button', { name: 'Delete the group' }));
    await dialog.getByRole('alert').waitFor();
    await page.unroute(grants);
    await press(page.getByRole('button', { name: 'Delete the group' }));
    await page.getByText('No groups yet.').waitFor();
    expect([await roleOf(), await teamOf()]).toEqual([null, null]);
    expectQuiet();
  });
});
