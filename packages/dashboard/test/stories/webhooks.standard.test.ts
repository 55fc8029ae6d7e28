import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { LOCAL_RECEIVERS } from '../../../server/test/support/receivers-allowed.ts';
import { webhookClient } from '../../../server/test/support/webhook-client.ts';
import { startReceiver } from '../../../server/test/support/webhook-receiver.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** docs/contract/dashboard.md 4.13 and 10: what other systems are told, whether they got it, and how they check it. */
describe('webhooks', { timeout: 180_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([
      startWithDashboard({ outbound: LOCAL_RECEIVERS }),
      launchBrowser(),
    ]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('a webhook is made, its secret shown once checks what a real receiver gets, and a failed delivery is sent again', async () => {
    const receiver = await startReceiver(204);
    const { project } = await connect(culprit, { email: 'dev@example.test', name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'dev@example.test');
    await page.goto(`${culprit.url}/projects/${project.projectId}/webhooks`);
    await page.getByText('No webhooks yet.').waitFor();
    await expectSoundLooks(page, 'no webhooks');

    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: 'New webhook' }).waitFor();
    await type(page.getByLabel('Address'), receiver.url);
    await type(page.getByLabel('Environments'), 'production');
    const effect = page.getByRole('region', { name: 'What this webhook does' });
    await effect.getByText('a resolved incident comes back or is reopened').waitFor();
    await expectSoundLooks(page, 'the editor');
    await press(page.getByRole('button', { name: 'Create webhook' }));

    const dialog = page.getByRole('dialog', { name: 'The signing secret' });
    const secret = (await dialog.getByRole('region', { name: 'secret' }).textContent()) ?? '';
    expect(secret).toMatch(/^svc_whsec_\w{43}$/);
    const code = (await dialog.getByRole('region', { name: 'verification code' }).textContent()) ?? '';
    await expectSoundLooks(page, 'the secret');
    await page.keyboard.press('Escape');
    await press(dialog.getByRole('button', { name: 'I have stored it' }));
    await page.getByRole('heading', { level: 1, name: 'Webhook', exact: true }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept + page.url() + (await page.content())).not.toContain(secret);

    await page.getByText('Nothing sent yet. Send a test.').waitFor();
    await press(page.getByRole('button', { name: 'Send a test' }));
    await press(page.getByRole('menuitem', { name: 'Send verification.passed' }));
    const [request] = await receiver.received(1);
    const { isFromCulprit } = await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`
    );
    const signature = request?.headers['x-service-signature'];
    expect(isFromCulprit(request?.body, signature, secret)).toBe(true);
    expect(isFromCulprit(request?.body, signature, `${secret}x`)).toBe(false);

    const deliveries = page.getByRole('list', { name: 'Deliveries' });
    const line = deliveries.getByRole('listitem').filter({ hasText: 'verification.passed' });
    await line.getByText('delivered').waitFor();
    await press(line.getByRole('button', { name: 'Details' }));
    const body = await line.getByRole('region', { name: 'body' }).textContent();
    expect(body).toBe(request?.body.toString());
    await line.getByText(String(signature)).waitFor();
    await line.getByRole('row', { name: /Answered 204/ }).waitFor();
    expect(page.url()).toContain('delivery=del_');
    await expectSoundLooks(page, 'a delivery in full');

    receiver.answer(500);
    await press(page.getByRole('button', { name: 'Send a test' }));
    await press(page.getByRole('menuitem', { name: 'Send verification.failed' }));
    const failing = deliveries.getByRole('listitem').filter({ hasText: 'verification.failed' });
    await failing.getByText('Answered 500').waitFor();
    receiver.answer(204);
    await press(failing.getByRole('button', { name: 'Send again' }));
    await failing.getByText('delivered').waitFor();
    await press(page.getByRole('button', { name: 'Failed', exact: true }));
    await page.getByText('No failed deliveries in the last 30 days.').waitFor();
    expect(page.url()).toContain('status=failed');
    await receiver.stop();
    await page.goto(`${culprit.url}/projects/${project.projectId}/webhooks`);
    await page
      .getByText(/^when the evidence of a new incident is ready, .* or an incident spikes$/)
      .waitFor();
    expectQuiet();
  });

  it('a member sees why a webhook is off, turns it on, replaces its secret, edits and deletes it', async () => {
    const { project } = await connect(culprit, { email: 'owner2@example.test', name: 'shop' });
    const hooks = webhookClient(culprit, project);
    const { webhook, signing_secret: before } = await hooks.create('http://127.0.0.1:1/closed', {
      is_enabled: true,
    });
    await hooks.test(webhook.webhook_id);
    await hooks.delivery(webhook.webhook_id, { status: 'retrying' });
    await hooks.update(webhook.webhook_id, { is_enabled: false });
    const { email } = await createCollaborator(culprit, project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/webhooks/${webhook.webhook_id}`);
    await page.getByText('Disabled: nothing is sent.').waitFor();
    await page.getByText('disabled', { exact: true }).waitFor();
    await page.getByText('The webhook was disabled', { exact: true }).waitFor();
    await expectSoundLooks(page, 'a webhook that is off');
    // The same as after 50 failures in a row, which a test cannot wait for.
    await culprit.database.query({
      name: 'test-automatic-disable',
      text: `update webhook_deliveries set last_error = 'webhook_auto_disabled' where status = 'disabled'`,
    });
    await page.reload();
    await page.getByText('Disabled automatically: 50 attempts failed in a row').waitFor();
    await press(page.getByRole('button', { name: 'Enable' }));
    await page.getByText('Disabled automatically').waitFor({ state: 'hidden' });
    expect((await hooks.read(webhook.webhook_id)).is_enabled).toBe(true);
    expect((await hooks.delivery(webhook.webhook_id, {})).status).toBe('disabled');

    await press(page.getByRole('button', { name: 'Replace secret' }));
    await press(page.getByRole('button', { name: 'Replace the secret' }));
    const dialog = page.getByRole('dialog', { name: 'The signing secret' });
    const secret = await dialog.getByRole('region', { name: 'secret' }).textContent();
    expect(secret).toMatch(/^svc_whsec_\w{43}$/);
    expect(secret).not.toBe(before);
    await press(dialog.getByRole('button', { name: 'I have stored it' }));

    await press(page.getByRole('button', { name: 'Edit' }));
    await type(page.getByLabel('Address'), 'http://169.254.169.254/');
    await press(page.getByRole('button', { name: 'Save webhook' }));
    await page.getByText("in the server's own network").waitFor();
    await type(page.getByLabel('Address'), 'http://127.0.0.1:1/other');
    await press(page.getByRole('checkbox', { name: 'The evidence of a new incident is ready' }));
    await press(page.getByRole('button', { name: 'Save webhook' }));
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    const saved = await hooks.read(webhook.webhook_id);
    expect(saved.url).toBe('http://127.0.0.1:1/other');
    expect(saved.events).not.toContain('bundle.created');

    await press(page.getByRole('button', { name: 'Delete', exact: true }));
    await press(page.getByRole('button', { name: 'Delete the webhook' }));
    await page.getByText('No webhooks yet.').waitFor();
    await page.goto(`${culprit.url}/projects/${project.projectId}/webhooks/${webhook.webhook_id}`);
    await page.getByText('This webhook does not exist, or you cannot see it.').waitFor();
    expectQuiet(400, 404);
  });
});
