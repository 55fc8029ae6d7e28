import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { checkClient, LOCAL_SITES, type Site, startSite } from '../../../server/test/support/check-client.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { managementClient } from '../../../server/test/support/management-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';

/** docs/contract/dashboard.md 4.10: whether it is up, since when not, how slow it gets. */

describe('checks', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    [culprit, browser] = await Promise.all([
      startWithDashboard({ outbound: { ...LOCAL_SITES, isLoopbackAllowed: false } }),
      launchBrowser(),
    ]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
    await site?.close();
  });

  it('one is tested, made, fails, leads to its incident, recovers, is changed and deleted', async () => {
    const email = 'checks@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const checks = checkClient(culprit, client.project);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/checks`);
    await page.getByText('No checks yet.').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: 'New check' }).waitFor();

    await type(page.getByLabel('Name', { exact: true }), 'Home');
    await type(page.getByLabel('Address'), 'http://10.1.2.3/health');
    await press(page.getByRole('button', { name: 'Test now' }));
    await page.getByText(/in the server's own network/).waitFor();
    await press(page.getByRole('button', { name: 'Create check' }));
    await page
      .getByText(/CULPRIT_OUTBOUND_ALLOWLIST/)
      .nth(1)
      .waitFor();

    await type(page.getByLabel('Address'), site.url);
    await press(page.getByRole('button', { name: 'Test now' }));
    await page.getByText(/^It would pass, status 200/).waitFor();
    await type(page.getByLabel('Interval in seconds'), '30');
    await type(page.getByLabel('Failures before an incident'), '1');
    await type(page.getByLabel('Successes before recovery'), '1');
    await page.getByText(`Every 30 s GET ${site.url}; at the first failure an incident opens.`).waitFor();
    site.answer(500);
    await press(page.getByRole('button', { name: 'Create check' }));
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const [check] = await checks.list();
    const id = check?.check_id ?? '';
    await checks.ran(id, 1);
    await eventually(async () => {
      const { linked_incident_id: incident } = await checks.read(id);
      if (incident === null) throw new Error('no incident yet');
    });

    await page.reload();
    await page.getByText('Failing', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Its open incident' }).waitFor();
    await page.getByRole('link', { name: 'Uptime 1 failing' }).waitFor();
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByText('other status').first().waitFor();
    await page.getByRole('region', { name: 'Latency' }).getByText('No run succeeded in this time.').waitFor();
    const days = page.getByRole('region', { name: '31 days' });
    await days.getByText(/^Down on 1 day/).waitFor();
    const bars = days.locator('svg');
    // Who has a pointer sees the words of a day at its bar; all others find them in the table.
    const { x = 0, width = 0 } = (await bars.boundingBox()) ?? {};
    await bars.dispatchEvent('pointermove', { clientX: x + width - 4 });
    expect(await bars.locator('title').textContent()).toMatch(/^\d{4}-\d\d-\d\d: down/);
    await press(days.getByRole('button', { name: 'Show as table' }));
    expect(await days.getByRole('row').nth(1).textContent()).toContain('down');

    await press(page.getByRole('link', { name: 'Uptime' }).last());
    const row = page.getByRole('list', { name: 'Uptime' }).getByRole('listitem');
    await row.getByText('other status, 1 failure in a row').waitFor();
    await press(row.getByRole('link', { name: 'Incident' }));
    await page.getByRole('heading', { level: 1, name: /Availability check failing/ }).waitFor();

    site.answer(200);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/checks/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('link', { name: 'Its open incident' }).waitFor();
    await page.getByRole('link', { name: 'Uptime 1 failing' }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: 'Edit Home' }).waitFor();
    await type(page.getByLabel('Name', { exact: true }), 'Home page');
    await press(page.getByRole('button', { name: 'Save check' }));
    await page.getByRole('heading', { level: 1, name: 'Home page' }).waitFor();
    // Only what was changed is sent: the rest of the record is as it was.
    expect(await checks.read(id)).toMatchObject({ name: 'Home page', failure_threshold: 1, method: 'GET' });

    await page.keyboard.press('e');
    await type(page.getByLabel('Name', { exact: true }), 'Home of the shop');
    await checks.update(id, { recovery_threshold: 5 });
    await press(page.getByRole('button', { name: 'Save check' }));
    await page.getByText('Changed: successes until it recovers.').waitFor();
    await press(page.getByRole('button', { name: 'Save my changes' }));
    await page.getByRole('heading', { level: 1, name: 'Home of the shop' }).waitFor();
    expect(await checks.read(id)).toMatchObject({ name: 'Home of the shop', recovery_threshold: 5 });

    await press(page.getByRole('button', { name: 'Pause', exact: true }));
    await page.getByText('disabled').waitFor();
    await press(page.getByRole('button', { name: 'Delete' }));
    await press(page.getByRole('button', { name: 'Delete the check' }));
    await page.getByText('No checks yet.').waitFor();
    expect(await checks.list()).toEqual([]);
    // An availability incident has no reproduction, and internal addresses are refused.
    expectQuiet(400, 404);
  });

  it('a scheduled job has a heartbeat, with how it reports, its runs and its incident', async () => {
    const email = 'heartbeats@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const { projectId, memberToken } = client.project;
    const owner = managementClient(culprit, memberToken);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${projectId}/checks`);
    await press(page.getByRole('link', { name: 'Heartbeats' }));
    await page.getByText('No heartbeats yet.').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: 'New heartbeat' }).waitFor();
    await type(page.getByLabel('Name', { exact: true }), 'Nightly backup');
    await type(page.getByLabel('Time zone'), 'Mars/Olympus');
    await press(page.getByRole('button', { name: 'Create heartbeat' }));
    await page.getByText(/The schedule or the time zone cannot be read/).waitFor();
    await type(page.getByLabel('Time zone'), 'Europe/Berlin');
    await page.getByText(/^The job runs daily at 03:00, Europe\/Berlin\./).waitFor();
    await press(page.getByRole('button', { name: 'Create heartbeat' }));
    await page.getByRole('heading', { level: 1, name: 'Nightly backup' }).waitFor();
    await page.getByText('It has not run yet.').waitFor();

    const shown = async () => {
      const text = await page.getByRole('region', { name: 'URL of the heartbeat' }).textContent();
      return new URL(text ?? '').pathname;
    };
    const address = await shown();
    for (const way of ['systemd', 'Kubernetes', 'GitHub Actions', 'Python', 'Node', 'Command line', 'cron']) {
      await choose(page.getByLabel('Run by'), way);
      await page
        .getByRole('region', { name: `Setup for ${way}` })
        .getByText(address)
        .waitFor();
    }
    await fetch(`${culprit.url}${address}/3`, { method: 'POST', body: 'disk is full' });
    await eventually(async () => {
      const { body } = await owner.get(`/v1/projects/${projectId}/heartbeats`);
      if (!JSON.stringify(body).includes('"linked_incident_status":"open"'))
        throw new Error('no incident yet');
    });
    await page.reload();
    await page.getByRole('table', { name: 'Runs' }).getByText('disk is full').waitFor();
    await page.getByRole('link', { name: 'Its open incident' }).waitFor();
    const days = page.getByRole('region', { name: '90 days' });
    await days.getByText('Runs failed on 1 day of 1 with runs').waitFor();
    await press(days.getByRole('button', { name: 'Show as table' }));
    const today = await days.getByRole('row').nth(1).getByRole('cell').allTextContents();
    expect(today.slice(1, 4)).toEqual(['1', '0', '1']);
    await fetch(`${culprit.url}${address}`);

    await press(page.getByRole('button', { name: 'Replace URL' }));
    await press(page.getByRole('button', { name: 'Replace the URL' }));
    await page.getByText('The heartbeat has a new URL').waitFor();
    await expect.poll(shown).not.toBe(address);
    expect((await fetch(`${culprit.url}${address}`)).status).toBe(404);

    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: 'Edit Nightly backup' }).waitFor();
    await choose(page.getByLabel('Schedule'), 'Interval');
    await type(page.getByLabel('Every'), '2');
    await page.getByText(/^The job runs every 2 hours\./).waitFor();
    await press(page.getByRole('button', { name: 'Save heartbeat' }));
    await page.getByText('every 2 hours').waitFor();
    await press(page.getByRole('button', { name: 'Pause', exact: true }));
    await page.getByText('Paused').waitFor();
    await press(page.getByRole('link', { name: 'Heartbeats' }).last());
    const row = page.getByRole('list', { name: 'Heartbeats' }).getByRole('listitem');
    await row.getByText('every 2 hours').waitFor();
    await press(row.getByRole('link', { name: 'Nightly backup' }));
    await press(page.getByRole('button', { name: 'Delete' }));
    await press(page.getByRole('button', { name: 'Delete the heartbeat' }));
    await page.getByText('No heartbeats yet.').waitFor();
    expectQuiet(400, 404);
  });

  it('a member sees all of it and is told why nothing of it can be changed', async () => {
    const client = await connect(culprit, { email: 'checks-owner@example.test', name: 'shop' });
    const checks = checkClient(culprit, client.project);
    site.answer(200);
    const { check_id: id } = await checks.create({ url: site.url, name: 'Home' });
    await checks.ran(id, 1);
    const member = await createCollaborator(culprit, client.project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, member.email);
    const base = `${culprit.url}/projects/${client.project.projectId}/checks`;
    await page.goto(base);
    await page.getByText('Passing').waitFor();
    const add = page.getByRole('button', { name: 'New check' });
    expect(await add.getAttribute('aria-description')).toMatch(/^Needs admin. Yours is member/);
    await page.goto(`${base}/${id}`);
    await page.getByRole('table', { name: 'Runs' }).getByText('success').waitFor();
    for (const name of ['Pause', 'Delete', 'Edit']) {
      expect(await page.getByRole('button', { name }).getAttribute('aria-disabled'), name).toBe('true');
    }
    await page.goto(`${base}/${id}/edit`);
    await page.getByText('Only admins and the owner can change checks.').waitFor();
    await page.goto(`${base}/01a20a1c-df8d-70be-a096-000000000000`);
    await page.getByText(/This check does not exist/).waitFor();
    expectQuiet(404);
  });
});
