import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOG } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connectImprovements } from '../../../server/test/support/improvement-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';

/** docs/contract/dashboard.md 4.11: what will break next, on what evidence, and whether it can wait. */

describe('improvements', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('one is found, read, snoozed, taken back and resolved; the settings say what a level means', async () => {
    const email = 'improvements@example.test';
    const client = await connectImprovements(culprit, { email, name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    const list = `${culprit.url}/projects/${client.project.projectId}/improvements`;
    // What recurs is a mark on its incident, not an insight of its own.
    const listed = page.waitForRequest((request) => request.url().includes('except_kind=recurring_incident'));
    await page.goto(list);
    await listed;
    await page.getByText('No insights yet.').waitFor();
    const hostile = 'The old till <img src=x onerror=alert(1)> is deprecated \u202E';
    await client.send(...Array.from({ length: 12 }, () => LOG('warning', hostile)));
    const { improvement_id: id } = await client.onlyImprovement();

    await page.reload();
    const rows = page.getByRole('list', { name: 'Insights' });
    await rows.getByText('12 of 10 in').waitFor();
    const size = page.viewportSize() ?? { width: 1280, height: 900 };
    await page.setViewportSize({ width: 360, height: 900 });
    const figures = await rows.getByText('12 of 10 in').boundingBox();
    const last = await rows.locator('time').boundingBox();
    expect(last?.x).toBeGreaterThan((figures?.x ?? 0) + (figures?.width ?? 0));
    await page.setViewportSize(size);
    await press(rows.getByRole('link'));
    await page.getByText(/The same deprecation notice appeared 12 times in 7 d/).waitFor();
    expect(page.url()).toBe(`${culprit.url}/improvements/${id}`);
    await page.getByRole('heading', { name: 'What to do' }).waitFor();
    const cause = await page.getByRole('region', { name: 'What to do' }).innerText();
    expect(cause).not.toMatch(/\b\d\.\d|%|confidence/i);
    for (const path of [`/bundles/${id}`, `/bundles/${id}/reproduction`]) {
      await page.goto(culprit.url + path);
      await page.waitForURL(`${culprit.url}/improvements/${id}*`);
      await page.getByRole('heading', { name: 'What to do' }).waitFor();
    }
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByText('⟨U+202E⟩').first().waitFor();

    await press(page.getByRole('button', { name: 'Snooze' }));
    await press(page.getByRole('menuitem', { name: 'For 1 hour' }));
    await page.getByText(/^snoozed, back/).waitFor();
    await press(page.getByRole('button', { name: 'Undo' }));
    await page.getByRole('button', { name: /^Resolve/ }).waitFor();
    await press(page.getByRole('button', { name: 'Snooze' }));
    await press(page.getByRole('menuitem', { name: 'Until a date…' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Snooze' }));
    await page.getByText(/^snoozed, back/).waitFor();
    await page.keyboard.press('Shift+E');
    await press(page.getByRole('button', { name: /^Resolve/ }));
    await page.getByRole('button', { name: /^Reopen/ }).waitFor();
    await eventually(async () => {
      const [found] = await client.improvements();
      if (found?.status !== 'resolved') throw new Error(`it is ${found?.status}`);
    });

    await page.goto(list);
    await page.getByText('No insights yet.').waitFor();
    await press(page.getByRole('button', { name: 'Resolved' }));
    await rows.getByRole('link').waitFor();
    expect(page.url()).toContain('status=resolved');
    await press(page.getByRole('radio', { name: /^Balanced/ }));
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await client.settings()).settings.improvement_bundle_sensitivity).toBe('balanced');
    expectQuiet();
  });

  it('a member reads the settings and is told why they stay as they are', async () => {
    const client = await connectImprovements(culprit, {
      email: 'improvements-owner@example.test',
      name: 'shop',
    });
    const member = await createCollaborator(culprit, client.project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, member.email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/improvements`);
    await page.getByText(/^Needs admin. Yours is member/).waitFor();
    expect(await page.getByRole('radio', { name: /^Balanced/ }).isDisabled()).toBe(true);
    await page.goto(`${culprit.url}/improvements/01a20a1c-df8d-70be-a096-000000000000`);
    await page.getByText('This insight does not exist, or you cannot see it.').waitFor();
    expectQuiet(404);
  });
});
