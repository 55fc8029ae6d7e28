import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { alertClient } from '../../../server/test/support/alert-client.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { nextMail } from '../../../server/test/support/mailbox.ts';
import { LOCAL_RECEIVERS } from '../../../server/test/support/receivers-allowed.ts';
import { startReceiver } from '../../../server/test/support/webhook-receiver.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** docs/contract/dashboard.md 4.12 and 10: who is told what, whether it would have told us, and whether it did. */
describe('alerts', { timeout: 180_000 }, () => {
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

  it('a rule says what it does and would have done, is made, tested, switched off and deleted', async () => {
    const client = await connect(culprit, { email: 'lead@example.test', name: 'shop' });
    await client.send(EX());
    const incident = await client.only(1);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'lead@example.test');
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/alerts`);
    await page.getByText('No alerts yet.').waitFor();
    await expectSoundLooks(page, 'no rules');

    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: 'New alert rule' }).waitFor();
    await soon(() => page.title()).toBe('New alert rule · shop · Culprit');
    const effect = page.getByRole('region', { name: 'What this rule does' });
    await effect.getByText('nothing is sent: the rule has no target').waitFor();
    await choose(page.getByLabel('Minimum severity'), 'any severity');
    await type(page.getByLabel('Address'), 'oncall@example.test');
    await press(page.getByRole('button', { name: 'production' }));
    await type(page.getByLabel('Another service'), '*out');
    await page.keyboard.press('Enter');
    await page.getByText('Use * only at the end').waitFor();
    await type(page.getByLabel('Another service'), 'check*');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'check*', pressed: true }).waitFor();
    const query = page.getByRole('combobox', { name: 'Query' });
    await type(query, 'count:>5');
    await press(page.getByRole('button', { name: 'Create rule' }));
    await page
      .getByRole('alert')
      .getByText('The query count cannot be used in an alert rule (at character 1).')
      .waitFor();
    await type(query, 'severity:hi');
    await page.getByRole('option', { name: 'severity:high' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await soon(() => query.inputValue()).toBe('severity:high');
    await type(page.getByLabel('Name of the rule'), 'Pager');
    await choose(page.getByLabel('Pause per failure'), '5 minutes');
    await soon(() => effect.locator('p').first().textContent()).toBe(
      'When a new incident appears in check* in the environment production and matches severity:high, send a mail to oncall@example.test, at most once every 5 minutes for the same failure.',
    );
    await effect.getByText('In the last 7 days it would have sent 1 message.').waitFor();
    await press(effect.getByRole('button', { name: 'Show messages' }));
    await effect.getByRole('link', { name: incident.title }).waitFor();
    await expectSoundLooks(page, 'the editor');

    // What was typed survives a reload.
    await page.reload();
    await soon(() => page.getByLabel('Address').inputValue()).toBe('oncall@example.test');
    await press(page.getByRole('button', { name: 'Create rule' }));
    await page.getByRole('heading', { level: 1, name: 'Alert rule', exact: true }).waitFor();
    await soon(
      async () => (await client.get(`/v1/alerts?project_id=${client.project.projectId}`)).body,
    ).toMatchObject({
      alerts: [{ name: 'Pager', services: ['check*'], environments: ['production'], query: 'severity:high' }],
    });
    await press(page.getByRole('button', { name: 'production', pressed: true }));
    await press(page.getByRole('button', { name: 'Save rule' }));
    await soon(
      async () => (await client.get(`/v1/alerts?project_id=${client.project.projectId}`)).body,
    ).toMatchObject({ alerts: [{ name: 'Pager', services: ['check*'], environments: null }] });

    await press(page.getByRole('button', { name: 'Send a test' }));
    const messages = page.getByRole('table', { name: 'Messages of this rule' });
    await messages.getByRole('row', { name: /delivered.*a test/ }).waitFor();
    const mail = await nextMail(culprit.mailDirectory, 'oncall@example.test');
    expect(mail.text).toContain('The rule "Pager" can send mail to this address.');
    await expectSoundLooks(page, 'a rule with what it sent');

    await press(page.getByRole('link', { name: 'Alerts' }).first());
    const toggle = page.getByRole('switch', { name: /^Enabled: When a new incident appears/ });
    await press(toggle);
    await soon(() => toggle.getAttribute('aria-checked')).toBe('false');
    await soon(
      async () => (await client.get(`/v1/alerts?project_id=${client.project.projectId}`)).body,
    ).toMatchObject({ alerts: [{ is_enabled: false }] });
    await expectSoundLooks(page, 'the list');

    // The page of an incident says why the rule sent nothing about it.
    await page.goto(`${culprit.url}/incidents/${incident.incident_id}`);
    await press(page.getByRole('button', { name: /^Watch/ }));
    await page.getByRole('button', { name: 'Stop watching' }).waitFor();
    await page.getByText('1 watcher').waitFor();
    await press(page.getByRole('button', { name: 'Explain alerts' }));
    const verdicts = page.getByRole('dialog', { name: 'Alerts about this incident' });
    await verdicts.getByRole('row', { name: /Pager.*Created later.*The rule was created later/ }).waitFor();
    await expectSoundLooks(page, 'why a rule sent nothing');
    await press(verdicts.getByRole('link', { name: 'Pager' }));
    await page.getByRole('heading', { level: 1, name: 'Alert rule', exact: true }).waitFor();
    const judged = page.getByRole('table', { name: 'Incidents and what this rule sent' });
    await judged.getByRole('row', { name: /Created later.*The rule was created later.*opened/ }).waitFor();
    await expectSoundLooks(page, 'why a rule sent something or did not');
    await press(page.getByRole('link', { name: 'Alerts' }).first());

    await press(page.getByRole('link', { name: 'Pager' }));
    await press(page.getByRole('button', { name: 'Delete rule' }));
    await press(page.getByRole('button', { name: 'Delete the rule' }));
    await page.getByText('No alerts yet.').waitFor();
    // What the rule sent may be asked for once more while it is being deleted.
    expectQuiet(404);
  });

  it("a member edits a rule: its address stays hidden, somebody else's change is shown first, and nothing else is sent", async () => {
    const receiver = await startReceiver();
    const client = await connect(culprit, { email: 'owner@example.test', name: 'shop' });
    const alerts = alertClient(culprit, client.project);
    const made = await alerts.create({
      channel: 'webhook',
      config: { target_url: `${receiver.url}/secret-path` },
    });
    const { email } = await createCollaborator(culprit, client.project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${client.project.projectId}/alerts/${made.alert_id}`);
    await page.getByText('…path').first().waitFor();
    expect(await page.content()).not.toContain('secret-path');

    await choose(page.getByLabel('Minimum severity'), 'Critical');
    await alerts.update(made.alert_id, { cooldown_seconds: 86_400 });
    await press(page.getByRole('button', { name: 'Save rule' }));
    await page.getByText('Changed: quiet time.').waitFor();
    await press(page.getByRole('button', { name: 'Save my changes' }));
    await page.getByText('Saved', { exact: true }).first().waitFor();
    const { body } = await client.get(`/v1/alerts?project_id=${client.project.projectId}`);
    expect(body).toMatchObject({
      alerts: [{ severity_min: 'critical', cooldown_seconds: 86_400, config: made.config }],
    });

    await choose(page.getByLabel('Condition'), 'an incident has many events or users');
    await type(page.getByLabel('At least'), '1');
    await press(page.getByRole('button', { name: 'Save rule' }));
    await page.getByText('A number from 2').waitFor();
    await type(page.getByLabel('At least'), '50');
    await choose(page.getByLabel('Within'), '5 minutes');
    await page.getByText('50 events').waitFor();
    await page.getByText('No incident meets the condition now.').waitFor();
    await expectSoundLooks(page, 'a threshold');
    await press(page.getByRole('button', { name: 'Save rule' }));
    await soon(
      async () => (await client.get(`/v1/alerts?project_id=${client.project.projectId}`)).body,
    ).toMatchObject({
      alerts: [{ condition_type: 'occurrence_threshold', threshold_count: 50, window_minutes: 5 }],
    });

    await press(page.getByRole('button', { name: 'Replace' }));
    await type(page.getByLabel('Address'), 'http://169.254.169.254/latest');
    await press(page.getByRole('button', { name: 'Save rule' }));
    await page.getByText("in the server's own network").waitFor();
    // Whoever leaves is asked; the address is in no draft.
    const draft = () => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    expect(await draft()).not.toContain('169.254');
    await choose(page.getByLabel('Channel', { exact: true }), 'PagerDuty');
    await type(page.getByLabel('Integration key'), 'k'.repeat(32));
    await soon(draft).toContain('pagerduty');
    expect(await draft(), 'a key is in no draft').not.toContain('kkkk');
    page.once('dialog', (dialog) => void dialog.accept());
    await press(page.getByRole('link', { name: 'Alerts' }).first());
    await page.getByRole('list', { name: 'Alert rules' }).waitFor();

    await page.goto(`${culprit.url}/projects/${client.project.projectId}/alerts/alt_none`);
    await page.getByText('This rule does not exist, or you cannot see it.').waitFor();
    await receiver.stop();
    expectQuiet(400);
  });
});
