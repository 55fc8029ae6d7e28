import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DELETION_PHRASE } from '@culprit/contract/workspace/account';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertClient } from '../../../server/test/support/alert-client.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { personWith, settingsFor } from '../../../server/test/support/github-client.ts';
import { type GithubServer, startGithubServer } from '../../../server/test/support/github-server.ts';
import { codeIn, nextMail } from '../../../server/test/support/mailbox.ts';
import { startAtLocalhost, startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { openWatchedPage } from '../support/watched-page.ts';

const ACTIONS_MAX = 12;

/** docs/contract/dashboard.md 10, stories: somebody who has nothing yet comes to see a failure of their own. */
describe('a newcomer', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startAtLocalhost(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('comes by 127.0.0.1 to the address at which writes succeed, signs in, makes a project, sends an event with the copied command and opens its incident', async () => {
    const { page, expectQuiet } = await openWatchedPage(browser, [culprit.url, culprit.baseUrl]);
    expect(new URL(culprit.url).hostname).toBe('127.0.0.1');
    await page.goto(`${culprit.url}/`);
    await page.waitForURL(`${culprit.baseUrl}/**`);
    await page.getByRole('heading', { level: 1, name: 'Sign in to Culprit' }).waitFor();
    // This server has no terms.
    expect(await page.getByText(/terms/).count()).toBe(0);
    // Row 15: what a person does until the failure is open, from the first field on.
    let actions = 0;
    const act = async (action: Promise<unknown>) => {
      actions += 1;
      await action;
    };
    await act(type(page.getByLabel('E-mail'), 'new@example.test'));
    await act(press(page.getByRole('button', { name: 'Send code' })));
    const code = page.getByLabel('Code');
    const digits = codeIn(await nextMail(culprit.mailDirectory, 'new@example.test'));
    // As keyboards and password managers fill it in, in groups.
    await act(type(code, `${digits.slice(0, 3)} ${digits.slice(3)}`));

    await act(type(page.getByLabel('Name'), 'my-app'));
    const isTold = page.getByLabel('E-mail me about new and regressed incidents');
    expect(await isTold.isChecked()).toBe(true);
    await act(press(page.getByRole('button', { name: 'Create project' })));
    const command = await page.getByRole('region', { name: 'send a test error' }).textContent();
    expect(command).toContain('svc_proj_');
    await act(promisify(execFile)('sh', ['-c', command ?? '']));

    const arrived = page.getByRole('link', { name: /Hello from/ });
    await act(press(arrived));
    await page.getByRole('heading', { level: 1, name: /Hello from/ }).waitFor();
    expect(actions).toBeLessThanOrEqual(ACTIONS_MAX);
    expect(page.url()).toContain(`${culprit.baseUrl}/incidents/inc_`);
    await page.getByRole('heading', { name: 'What is known' }).waitFor();
    await page.getByRole('heading', { name: 'Stack' }).waitFor();
    // Unless it was unticked, whoever makes a project is told.
    const { subject } = await nextMail(culprit.mailDirectory, 'new@example.test', 0, 'in my-app');
    expect(subject).toMatch(/^\[[A-Z0-9]+-1\] New: Error in my-app$/);

    await press(page.getByRole('link', { name: /^Incidents/ }).first());
    await page
      .getByRole('table', { name: 'Incidents' })
      .getByRole('link', { name: /Hello from/ })
      .waitFor();
    // The token is nowhere once the step is left.
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept + page.url() + (await page.content())).not.toContain('svc_proj_');
    expectQuiet();
  });

  it('looks around in sample data, which are marked, and removes them again', async () => {
    const email = 'looks@example.test';
    const { projectId } = await culprit.createProject({ email, name: 'quiet' });
    const { page, expectQuiet } = await openSignedIn(browser, { ...culprit, url: culprit.baseUrl }, email);
    await page.goto(`${culprit.baseUrl}/projects/${projectId}/setup`);
    await page.getByRole('button', { name: 'Add sample data' }).waitFor();
    await page.goto(`${culprit.baseUrl}/projects/${projectId}/incidents`);
    await press(page.getByRole('button', { name: 'Add sample data' }));
    const rows = page.getByRole('table', { name: 'Incidents' }).getByRole('row');
    await soon(() => rows.getByText('Sample', { exact: true }).count()).toBeGreaterThan(3);
    await press(rows.getByRole('link', { name: /reading 'country'/ }));
    await page.getByRole('heading', { name: 'Stack' }).waitFor();
    await page.getByText('Sample', { exact: true }).waitFor();
    await page.goto(`${culprit.baseUrl}/projects/${projectId}`);
    await page.getByRole('region', { name: 'Needs attention' }).getByText('Sample').first().waitFor();
    const open = page.getByRole('list', { name: 'Figures' }).getByRole('link', { name: /^Open/ });
    expect(await open.textContent()).toBe('Open0');
    expect(new URLSearchParams((await open.getAttribute('href'))?.split('?')[1]).get('q')).toBe('-is:sample');
    await page
      .getByRole('region', { name: 'Occurrences' })
      .getByText(/^0 occurrences/)
      .waitFor();
    expect(await page.getByRole('region', { name: 'Services' }).getByText('sample-shop').count()).toBe(0);
    await page.goto(`${culprit.baseUrl}/projects/${projectId}/incidents`);
    await press(page.getByRole('button', { name: 'Remove sample data' }));
    await page.getByText('quiet has not sent anything yet.').waitFor();
    await page.getByRole('button', { name: 'Add sample data' }).waitFor();
    expectQuiet();
  });
});

describe('where mail is off and GitHub is the way in', { timeout: 120_000 }, () => {
  let github: GithubServer;
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    github = await startGithubServer();
    const options = {
      hasWorker: false,
      mail: { transport: 'off' },
      github: settingsFor(github),
      signIn: { termsUrl: 'https://shop.example/terms' },
    } as const;
    [culprit, browser] = await Promise.all([startWithDashboard(options), launchBrowser()]);
    github.addPerson(personWith(1, 'hub@example.test'));
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
    await github?.close();
  });

  /** A page of somebody whom GitHub knows; null: who refuses there. */
  async function openAs(person: number | null) {
    const watched = await openWatchedPage(browser, [culprit.url, github.url]);
    const cookie = { name: 'person', value: person === null ? '' : String(person), url: github.url };
    await watched.page.context().addCookies([cookie]);
    return watched;
  }

  it('a server with terms links them, and sends no code before they are accepted', async () => {
    const { page } = await openAs(null);
    await page.goto(`${culprit.url}/login`);
    const terms = page.getByRole('link', { name: 'the terms of this service' });
    await terms.waitFor();
    expect(await terms.getAttribute('href')).toBe('https://shop.example/terms');
    const box = page.getByRole('checkbox', { name: /I accept/ });
    expect(await box.isChecked()).toBe(false);
    const codes: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') codes.push(request.url());
    });
    await type(page.getByLabel('E-mail'), 'un@example.test');
    await press(page.getByRole('button', { name: 'Send code' }));
    await soon(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('checkbox');
    expect(codes).toEqual([]);
  });

  it('somebody comes from a link by GitHub to what it names, and from a made-up one to the dashboard', async () => {
    const { projectId } = await culprit.createProject({ email: 'hub@example.test', name: 'shop' });
    const { page, expectQuiet } = await openAs(1);
    await page.goto(`${culprit.url}/projects/${projectId}/tokens?new=1`);
    await page.waitForURL(/\/login\?return_to=/);
    await press(page.getByRole('link', { name: 'Continue with GitHub' }));
    await page.waitForURL(`${culprit.url}/projects/${projectId}/tokens?new=1`);
    await page.getByRole('dialog').waitFor();
    expect(github.requests).toContain('GET /login/oauth/authorize');

    await page.context().clearCookies({ name: 'svc_session' });
    await page.goto(`${culprit.url}/login?return_to=//evil.example`);
    await press(page.getByRole('link', { name: 'Continue with GitHub' }));
    await page.waitForURL(`${culprit.url}/projects/${projectId}/incidents`);
    expectQuiet();
  });

  it('who cancels at GitHub, or has no verified address there, is told so on the sign-in page', async () => {
    github.addPerson({ id: 2, emails: [{ email: 'un@example.test', primary: true, verified: false }] });
    for (const [person, words] of [
      [null, 'Signing in with GitHub was cancelled.'],
      [2, 'GitHub gave no verified address.'],
    ] as const) {
      const { page, expectQuiet } = await openAs(person);
      await page.goto(`${culprit.url}/login`);
      await press(page.getByRole('link', { name: 'Continue with GitHub' }));
      await page.getByRole('alert').getByText(words).waitFor();
      await page.getByRole('link', { name: 'Continue with GitHub' }).waitFor();
      expectQuiet();
    }
  });

  it('a session that ends while somebody types is begun again at GitHub beside the page, which keeps it all', async () => {
    const { projectId } = await culprit.createProject({ email: 'hub@example.test', name: 'second' });
    const { page } = await openAs(1);
    await page.goto(`${culprit.url}/login?return_to=/projects/${projectId}/settings`);
    await press(page.getByRole('link', { name: 'Continue with GitHub' }));
    const name = page.getByLabel('Name', { exact: true });
    await type(name, 'Another name');
    await page.context().clearCookies({ name: 'svc_session' });
    await press(page.getByRole('button', { name: 'Save project' }));
    const dialog = page.getByRole('dialog', { name: 'The session has ended' });
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      press(dialog.getByRole('link', { name: 'Continue with GitHub' })),
    ]);
    await tab.waitForURL(/\/incidents$/);
    await dialog.waitFor({ state: 'hidden' });
    expect(await name.inputValue()).toBe('Another name');
    await page.bringToFront();
    await press(page.getByRole('button', { name: 'Save project' }));
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  it('who asks for a code or a report by mail is told that there is none, and what there is instead', async () => {
    const { page, expectQuiet } = await openAs(1);
    await page.goto(`${culprit.url}/login`);
    await type(page.getByLabel('E-mail'), "o'hara@example.test");
    await press(page.getByRole('checkbox', { name: /I accept/ }));
    await press(page.getByRole('button', { name: 'Send code' }));
    const told = page.getByRole('alert');
    await told.getByText('This server sends no mail, so no code can be sent. Use GitHub.').waitFor();
    expect(await told.getByRole('region', { name: 'command' }).textContent()).toBe(
      "npm run -s admin -- bootstrap --email 'o'\\''hara@example.test' --project my-app --json",
    );
    await press(page.getByRole('link', { name: 'Continue with GitHub' }));
    await page.waitForURL(/\/incidents$/);
    const project = await culprit.createProject({ email: 'hub@example.test', name: 'third' });
    await page.goto(`${culprit.url}/projects/${project.projectId}/reports`);
    await press(page.getByRole('button', { name: /^Send now/ }));
    await page.getByText('This server sends no mail. Its operator can set that up.').first().waitFor();

    await page.goto(`${culprit.url}/settings`);
    await press(page.getByRole('button', { name: 'Change the address' }));
    await type(page.getByLabel('New address'), 'other@example.test');
    await press(page.getByRole('button', { name: 'Send the codes' }));
    await page.getByText('This server sends no mail. Its operator can set that up.').first().waitFor();
    await type(page.getByLabel(/^Type: /), DELETION_PHRASE);
    await press(page.getByRole('button', { name: 'Send the code', exact: true }));
    await page.getByText('This server sends no mail, so no code can be sent. Ask its operator.').waitFor();

    const alerts = alertClient(culprit, project);
    const { alert_id: id } = await alerts.create({
      channel: 'email',
      config: { to: 'oncall@example.test' },
    });
    await page.goto(`${culprit.url}/projects/${project.projectId}/alerts/${id}`);
    await press(page.getByRole('button', { name: 'Send a test' }));
    await page.getByText('No mail server is set up').first().waitFor();
    expectQuiet(503);
  });
});
