import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unsubscribeToken } from '../../../server/src/notify/personal/unsubscribe-token.ts';
import { deriveKeys } from '../../../server/src/platform/secrets/keys.ts';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { codeIn, nextMail } from '../../../server/test/support/mailbox.ts';
import { managementClient } from '../../../server/test/support/management-client.ts';
import { signInAs } from '../../../server/test/support/people.ts';
import { sendRequest } from '../../../server/test/support/send-events.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/dashboard.md 4.22 and 10, stories: token once, sessions, appearance, account deletion. */
describe('settings of a person', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('of a project say after how many days without an event an incident resolves itself', async () => {
    const email = 'silence@example.test';
    const { projectId, memberToken } = await culprit.createProject({ email, name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    const stored = async () => {
      const request = { method: 'GET', token: memberToken };
      return (await sendRequest(`${culprit.url}/v1/projects/${projectId}`, request)).body;
    };
    await page.goto(`${culprit.url}/projects/${projectId}/settings`);
    const days = page.getByLabel('Resolve after days without events');
    const save = page.getByRole('button', { name: 'Save project' });
    await type(days, '91');
    await press(save);
    await page.getByText('Enter a number from 1 to 90, or leave it empty.').waitFor();
    await type(days, '30');
    await press(save);
    await eventually(async () =>
      expect(await stored()).toMatchObject({ project: { resolves_after_days: 30 } }),
    );
    await page.reload();
    await eventually(async () => expect(await days.inputValue()).toBe('30'));
    await type(days, '');
    await press(save);
    await eventually(async () =>
      expect(await stored()).toMatchObject({ project: { resolves_after_days: null } }),
    );
    expectQuiet();
  });

  it('a token is rotated with three presses, and says when the old one ends', async () => {
    const { projectId, memberToken } = await culprit.createProject({ email: 'rotates@example.test' });
    const tokens = `/v1/projects/${projectId}/tokens`;
    await managementClient(culprit, memberToken).post(tokens, { label: 'checkout' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'rotates@example.test');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const rotated = async (path: string, table: string, label: string) => {
      await page.goto(culprit.url + path);
      const rows = page.getByRole('table', { name: table }).getByRole('row', { name: new RegExp(label) });
      await press(rows.getByRole('button', { name: `Rotate ${label}` }));
      await press(page.getByRole('button', { name: 'Rotate token' }));
      const secret = (await page.getByRole('region', { name: 'secret' }).textContent()) ?? '';
      await press(page.getByRole('button', { name: 'Copy and close' }));
      await rows.getByText('ends in 24 h').waitFor();
      await rows.getByRole('button', { name: `Rotate ${label}` }).waitFor();
      expect(await rows.count()).toBe(2);
      return secret;
    };
    const ofProject = await rotated(`/projects/${projectId}/tokens`, 'Tokens', 'checkout');
    expect(ofProject).toMatch(/^svc_proj_[0-9A-Za-z]{43}$/);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(ofProject);
    await managementClient(culprit, memberToken).post('/v1/member/tokens', { label: 'laptop' });
    expect(await rotated('/settings', 'Member tokens', 'laptop')).toMatch(/^svc_mem_[0-9A-Za-z]{43}$/);
    expectQuiet();
  });

  it('of a project name its repository, to which the lines of a stack lead', async () => {
    const email = 'repository@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const commit = 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678';
    await client.send(EX({ context: { git: { commit } } }));
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/settings`);
    const form = page.getByRole('form', { name: 'Repositories' });
    await press(form.getByRole('button', { name: 'Add a repository' }));
    await type(form.getByLabel('Address'), 'http://github.com/acme/shop');
    await press(form.getByRole('button', { name: 'Save repositories' }));
    await form.getByText('The address must be an https address without credentials.').waitFor();
    await type(form.getByLabel('Address'), 'https://github.com/acme/shop');
    await type(form.getByLabel('Folder where it runs'), '/srv/releases/20260324101500');
    await press(form.getByRole('button', { name: 'Save repositories' }));
    await page.getByText('Saved').waitFor();
    await expectSoundLooks(page, 'repositories');
    await page.goto(`${culprit.url}/incidents/${id}`);
    const line = page.getByRole('region', { name: 'Stack' }).getByRole('link', { name: /theme\.js:42/ });
    await eventually(async () =>
      expect(await line.getAttribute('href')).toBe(
        `https://github.com/acme/shop/blob/${commit}/src/checkout/theme.js#L42`,
      ),
    );
    expect(await line.getAttribute('rel')).toBe('noreferrer noopener');
    expectQuiet();
  });

  it('a member token is shown once, acts, and ends when it is revoked', async () => {
    const email = 'tokens@example.test';
    await culprit.createProject({ email, name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/settings`);
    await page.getByRole('button', { name: 'New member token' }).waitFor();
    await page.keyboard.press('n');
    await type(page.getByLabel('Label'), 'laptop');
    await choose(page.getByLabel('Scope'), 'read');
    await press(page.getByRole('button', { name: 'Create token' }));
    const secret = (await page.getByRole('region', { name: 'secret' }).textContent()) ?? '';
    expect(secret).toMatch(/^svc_mem_[0-9A-Za-z]{43}$/);
    const list = () => sendRequest(`${culprit.url}/v1/projects`, { method: 'GET', token: secret });
    expect((await list()).status).toBe(200);
    await press(page.getByRole('button', { name: 'I have stored it' }));
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept + page.url() + (await page.content())).not.toContain(secret);

    const row = page.getByRole('table', { name: 'Member tokens' }).getByRole('row', { name: /laptop/ });
    await row.getByText('read only').waitFor();
    await press(row.getByRole('button', { name: 'Revoke laptop' }));
    await press(page.getByRole('button', { name: 'Revoke the token' }));
    await row.getByText('revoked').waitFor();
    expect((await list()).status).toBe(401);
    await expectSoundLooks(page, 'settings');
    expectQuiet();
  });

  it('a name is shown in place of the address, and a handle that is taken is refused', async () => {
    const email = 'grace@example.test';
    const project = await culprit.createProject({ email, name: 'shop' });
    const other = await createCollaborator(culprit, project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/settings`);
    const profile = page.getByRole('form', { name: 'Profile' });
    // A handle has 32 characters of the address at most.
    await type(profile.getByLabel('Handle'), other.email.slice(0, 32));
    await press(profile.getByRole('button', { name: 'Save profile' }));
    await profile.getByText('Another person or team has this handle.').waitFor();
    await type(profile.getByLabel('Name'), 'Grace Hopper');
    await type(profile.getByLabel('Handle'), 'grace-h');
    await press(profile.getByRole('button', { name: 'Save profile' }));
    await profile.getByText('Others mention you as @grace-h').waitFor();
    const people = await sendRequest(`${culprit.url}/v1/projects/${project.projectId}/people`, {
      method: 'GET',
      token: other.memberToken,
    });
    expect(people.body).toMatchObject({
      people: [{ name: 'Grace Hopper', handle: 'grace-h', role: 'owner' }, { email: other.email }],
    });
    await expectSoundLooks(page, 'profile');
    expectQuiet(409);
  });

  it('mails to a person alone are chosen in the settings, and stopped by the link of one without a sign-in', async () => {
    const email = 'mails@example.test';
    const { userId } = await culprit.createProject({ email, name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/settings`);
    const section = page.getByRole('region', { name: 'Notifications' });
    const mentions = section.getByLabel('A note mentions me or my team');
    await press(mentions);
    await page.getByText('Saved').first().waitFor();
    await choose(section.getByLabel('Send'), 'Every hour');
    await type(section.getByLabel('ntfy topic'), 'https://ntfy.example/my-topic');
    await press(section.getByRole('button', { name: 'Save topic' }));
    await section.getByRole('button', { name: 'Remove topic' }).waitFor();
    await page.reload();
    await eventually(async () => {
      expect(await mentions.isChecked()).toBe(false);
      expect(await section.getByLabel('Send').inputValue()).toBe('60');
      expect(await section.getByLabel('ntfy topic').inputValue()).toBe('https://ntfy.example/my-topic');
    });
    await expectSoundLooks(page, 'notifications');
    expectQuiet();
    const other = await openWatchedPage(browser, culprit.url);
    const token = unsubscribeToken(deriveKeys(culprit.dataKey).unsubscribes, userId);
    await other.page.goto(`${culprit.url}/unsubscribe?token=${token}`);
    await press(other.page.getByRole('button', { name: 'Stop these mails' }));
    await other.page.getByRole('heading', { name: 'These mails are stopped' }).waitFor();
    other.expectQuiet();
    await page.reload();
    await eventually(async () => {
      const boxes = await section.getByRole('checkbox').all();
      const states = await Promise.all(boxes.map((box) => box.isChecked()));
      expect([states.length, states.includes(true)]).toEqual([5, false]);
    });
  });

  it('another browser is signed out from here', async () => {
    const email = 'sessions@example.test';
    await culprit.createProject({ email, name: 'shop' });
    const other = await signInAs(culprit, email);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/settings`);
    const sessions = page.getByRole('table', { name: 'Sessions' });
    await sessions.getByText(', this one').waitFor();
    expect((await other.request('GET', '/v1/auth/session')).status).toBe(200);
    await press(sessions.getByRole('button', { name: /^End session/ }));
    await page.getByText('That browser is signed out').waitFor();
    await sessions.getByRole('button', { name: /^End session/ }).waitFor({ state: 'detached' });
    expect((await other.request('GET', '/v1/auth/session')).status).toBe(401);
    expectQuiet();
  });

  it('the address is changed with codes that are mailed to the new and to the present one', async () => {
    await culprit.createProject({ email: 'before@example.test', name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'before@example.test');
    await page.goto(`${culprit.url}/settings`);
    await press(page.getByRole('button', { name: 'Change the address' }));
    await type(page.getByLabel('New address'), 'after@example.test');
    await page.keyboard.press('Enter');
    await page.getByText('Sent to after@example.test').waitFor();
    await expectSoundLooks(page, 'change-email');
    const code = codeIn(await nextMail(culprit.mailDirectory, 'after@example.test'));
    const current = await nextMail(culprit.mailDirectory, 'before@example.test', 0, 'Code to change');
    await type(page.getByLabel('Code sent to the new address'), code);
    await type(page.getByLabel('Code sent to your current address'), codeIn(current));
    await page.keyboard.press('Enter');
    await page.getByText('Your address is after@example.test now').waitFor();
    await page.getByRole('definition').filter({ hasText: 'after@example.test' }).waitFor();
    expect(await page.getByLabel('New address').count()).toBe(0);
    expectQuiet();
  });

  it('theme, density, zone and shortcuts take effect at once and stay in this browser', async () => {
    const email = 'looks@example.test';
    await culprit.createProject({ email, name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/settings`);
    await choose(page.getByLabel('Theme'), 'dark');
    await choose(page.getByLabel('Density'), 'compact');
    await choose(page.getByLabel('Time zone'), 'Asia/Tokyo');
    await page.getByText(/until .* GMT\+9/).waitFor();
    await press(page.getByLabel('Single-key shortcuts'));
    await page.reload();
    await page.getByText(/until .* GMT\+9/).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await page.locator('html').getAttribute('data-density')).toBe('compact');
    await press(page.getByRole('heading', { level: 1, name: 'Your settings' }));
    await page.keyboard.press('n');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor();
    expect(await page.getByRole('dialog', { name: 'New member token' }).count()).toBe(0);
    expectQuiet();
  });

  it('an account is exported, then deleted in three steps', async () => {
    const email = 'leaving@example.test';
    await culprit.createProject({ email, name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email, { acceptDownloads: true });
    await page.goto(`${culprit.url}/settings`);
    const download = page.waitForEvent('download');
    await press(page.getByRole('link', { name: 'Download the export' }));
    const file: unknown = JSON.parse(await readFile(await (await download).path(), 'utf8'));
    expect(file).toMatchObject({ export_version: 1, projects: [{ name: 'shop' }] });

    const send = page.getByRole('button', { name: 'Send the code' });
    expect(await send.getAttribute('aria-disabled')).toBe('true');
    await type(page.getByLabel('Type: Delete my account'), 'Delete my account');
    await press(send);
    await type(page.getByRole('textbox', { name: 'Code' }), '000000');
    await press(page.getByRole('button', { name: 'Delete the account' }));
    await page.getByText('This code is wrong or no longer valid.').waitFor();
    const mail = await nextMail(culprit.mailDirectory, email, 0, 'Code to delete');
    await type(page.getByRole('textbox', { name: 'Code' }), codeIn(mail));
    await press(page.getByRole('button', { name: 'Delete the account' }));
    await page.waitForURL(/\/login/);
    await page.getByLabel('E-mail').waitFor();
    expectQuiet(400);
  });

  it('whoever owns nothing has nothing to export or delete, and is told what to do', async () => {
    const project = await culprit.createProject({ email: 'host@example.test', name: 'shop' });
    const member = await createCollaborator(culprit, project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, member.email);
    await page.goto(`${culprit.url}/settings`);
    await page.getByText('Only owners of an organization can export data.').waitFor();
    await page.getByText('You own no projects. First leave').waitFor();
    expect(await page.getByRole('button', { name: 'Delete the account' }).count()).toBe(0);
    expectQuiet();
  });
});
