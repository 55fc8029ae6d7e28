import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { ruleClient } from '../../../server/test/support/rule-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** docs/contract/dashboard.md 4.18 and item 26: the token once, and results that arrive while somebody looks. */
describe('probes', { timeout: 180_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('a member switches one on, stores its token, sees what it tells as it comes, and switches it off', async () => {
    const client = await connect(culprit, { email: 'owner@example.test', name: 'shop' });
    const { projectId } = client.project;
    const { email } = await createCollaborator(culprit, client.project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${projectId}/probes`);
    await page.getByText('No active probes.').waitFor();
    await expectSoundLooks(page, 'no probes');

    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Enable a probe' });
    await type(dialog.getByLabel('Label'), 'a[th');
    await dialog.getByText('In a label, * matches any text and ? one character').waitFor();
    await type(dialog.getByLabel('Label'), 'auth.*');
    await dialog.getByText('Captures auth and every probe that begins with auth.').waitFor();
    await type(dialog.getByLabel('Environment'), 'production');
    await expectSoundLooks(page, 'the editor');
    await press(dialog.getByRole('button', { name: 'Enable probe' }));

    const secret = page.getByRole('dialog', { name: 'The trigger token' });
    const token = (await secret.getByRole('region', { name: 'secret' }).textContent()) ?? '';
    expect(token).toMatch(/^svc_probe_[\w-]+\.[\w-]+$/);
    expect(await secret.getByRole('region', { name: 'header' }).textContent()).toBe(
      `X-Service-Probe-Trigger: ${token}`,
    );
    expect(await secret.getByRole('region', { name: 'parameter' }).textContent()).toBe(
      `_debug_probe=${token}`,
    );
    await expectSoundLooks(page, 'the token');
    await press(secret.getByRole('button', { name: 'I have stored it' }));
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept + page.url() + (await page.content())).not.toContain(token);

    const probes = page.getByRole('list', { name: 'Active probes' });
    await probes.getByText(`by ${email}`).waitFor();
    await probes.getByText('production').waitFor();
    await page.getByText('No results yet.').waitFor();
    await client.send({
      ...EX(),
      event_type: 'probe_event',
      payload: { label: 'auth.login', data: { attempts: 3, note: '<img src=x onerror=alert(1)>' } },
    });
    const results = page.getByRole('list', { name: 'Probe results' });
    await results.getByText('auth.login').waitFor();
    await results.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await expectSoundLooks(page, 'a result');

    await press(probes.getByRole('button', { name: 'Disable probe' }));
    await page.getByText('Trigger tokens already issued work until').waitFor();
    await press(page.getByRole('dialog').getByRole('button', { name: 'Disable probe' }));
    await page.getByText('No active probes.').waitFor();
    expectQuiet();
  });

  it('says that filters keep results only with exceptions', async () => {
    const { project } = await connect(culprit, { email: 'buffer@example.test', name: 'shop' });
    await ruleClient(culprit.url, project).patchPolicy({ capture_probe_events: 'buffer_only' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'buffer@example.test');
    await page.goto(`${culprit.url}/projects/${project.projectId}/probes`);
    await page.getByText('Event filters keep results only with exceptions').waitFor();
    await press(page.getByRole('link', { name: 'Change event filters' }));
    await page.getByRole('heading', { level: 1, name: 'Event filters' }).waitFor();
    expectQuiet();
  });
});
