import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXR } from '../../../server/test/conformance/incidents-fixtures.ts';
import { alertClient } from '../../../server/test/support/alert-client.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { codeIn, nextMail } from '../../../server/test/support/mailbox.ts';
import { LOCAL_RECEIVERS } from '../../../server/test/support/receivers-allowed.ts';
import { reportClient } from '../../../server/test/support/report-client.ts';
import { newChannel, slackAppOf, slackClient } from '../../../server/test/support/slack-client.ts';
import { type SlackServer, startSlackServer } from '../../../server/test/support/slack-server.ts';
import { webhookClient } from '../../../server/test/support/webhook-client.ts';
import { startReceiver } from '../../../server/test/support/webhook-receiver.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';
import { openWatchedPage } from '../support/watched-page.ts';

/** docs/contract/dashboard.md 4.14, 4.15 and item 28. */
describe('Slack and weekly reports', { timeout: 180_000 }, () => {
  let slack: SlackServer;
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    slack = await startSlackServer();
    [culprit, browser] = await Promise.all([
      startWithDashboard({ outbound: LOCAL_RECEIVERS, slack: slackAppOf(slack) }),
      launchBrowser(),
    ]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
    await slack?.close();
  });

  it('an admin connects a channel in Slack and is led back to it', async () => {
    const { project } = await connect(culprit, { email: 'connect@example.test', name: 'shop' });
    const { page } = await openSignedIn(browser, culprit, 'connect@example.test');
    const channel = newChannel({ channelName: '#payments' });
    // Whoever chooses a channel at Slack is played by the route: the stand-in has no page to click on.
    await page.route(`${slack.url}/**`, async (route) => {
      const location = slack.visit(route.request().url(), channel);
      await route.fulfill({ status: 302, headers: { location } });
    });
    await page.goto(`${culprit.url}/projects/${project.projectId}/slack`);
    await page.getByText('No channel is connected.').waitFor();
    await press(page.getByRole('button', { name: 'Connect a channel' }).first());
    await page.getByText('The channel is connected').first().waitFor();
    await page.getByRole('list', { name: 'Slack channels' }).getByText('#payments in Acme').waitFor();
    await soon(() => page.url()).not.toContain('slack_connect');
  });

  it('a channel is tested, tells what uses it, and is disconnected once nothing does', async () => {
    const { project } = await connect(culprit, { email: 'uses@example.test', name: 'shop' });
    const destination = await slackClient(culprit, slack, project).destination();
    const alerts = alertClient(culprit, project);
    const config = { slack_destination_id: destination.slack_destination_id };
    const rule = await alerts.create({ channel: 'slack', config });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'uses@example.test');
    await page.goto(`${culprit.url}/projects/${project.projectId}/slack`);
    const line = page.getByRole('list', { name: 'Slack channels' }).getByRole('listitem');
    await line.getByRole('link', { name: '1 alert rule' }).waitFor();
    await press(line.getByRole('button', { name: 'Send a test to' }));
    await line.getByText('Test sent').waitFor();
    expect(slack.messages(destination.slack_channel_id)).toHaveLength(1);
    await expectSoundLooks(page, 'channels');

    slack.refuse(destination.slack_channel_id, { status: 404, word: 'channel_not_found' });
    await press(line.getByRole('button', { name: 'Send a test to' }));
    await line.getByText('Slack did not accept the message.').waitFor();
    await line.getByText('Slack refuses it: connect it again').waitFor();

    await press(line.getByRole('button', { name: 'Disconnect' }));
    const dialog = page.getByRole('dialog');
    await press(dialog.getByRole('button', { name: 'Disconnect the channel' }));
    await dialog.getByText('Rules or reports still use this channel.').waitFor();
    await dialog.getByRole('link', { name: '1 alert rule' }).waitFor();
    await alerts.delete(rule.alert_id);
    await press(dialog.getByRole('button', { name: 'Disconnect the channel' }));
    await page.getByText('No channel is connected.').waitFor();
    expectQuiet(409, 502);
  });

  it('a member reads the channels and is told who may change them', async () => {
    const { project } = await connect(culprit, { email: 'reads@example.test', name: 'shop' });
    await slackClient(culprit, slack, project).destination();
    const { email } = await createCollaborator(culprit, project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/slack`);
    const disconnect = page.getByRole('button', { name: 'Disconnect' });
    await disconnect.waitFor();
    expect(await disconnect.getAttribute('aria-description')).toContain('Needs admin. Yours is member.');
    await page.goto(`${culprit.url}/projects/${project.projectId}/reports`);
    const edit = page.getByRole('button', { name: 'Edit: Every Monday' });
    await edit.waitFor();
    expect(await edit.getAttribute('aria-description')).toContain('Needs admin. Yours is member.');
    expectQuiet();
  });

  it('the report of a new project is moved, joined by one to Slack, switched off and deleted', async () => {
    const { project } = await connect(culprit, { email: 'reports@example.test', name: 'shop' });
    await slackClient(culprit, slack, project).destination();
    const reports = reportClient(culprit, project);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'reports@example.test');
    await page.goto(`${culprit.url}/projects/${project.projectId}/reports`);
    const lines = page.getByRole('list', { name: 'Weekly reports' }).getByRole('listitem');
    await lines.getByText(/^next: Monday .*09:00 UTC \(in /).waitFor();
    await press(lines.getByRole('button', { name: 'Edit: Every Monday' }));
    const dialog = page.getByRole('dialog', { name: 'Weekly report' });
    await type(dialog.getByLabel('Addresses'), 'nobody');
    await press(dialog.getByRole('button', { name: 'Save report' }));
    await dialog.getByText('Enter addresses such as lead@example.com').waitFor();
    await type(dialog.getByLabel('Addresses'), 'reports@example.test, lead@example.test');
    await choose(dialog.getByLabel('Day'), 'Friday');
    await choose(dialog.getByLabel('Hour'), '17:00');
    await choose(dialog.getByLabel('Time zone'), 'Europe/Berlin');
    await expectSoundLooks(page, 'the editor of a report');
    await press(dialog.getByRole('button', { name: 'Save report' }));
    await lines.getByText(/^next: Friday .*17:00 Europe\/Berlin \(in /).waitFor();
    expect(await reports.mailChannel()).toMatchObject({
      config: { to: ['reports@example.test', 'lead@example.test'] },
      schedule: { day_of_week: 'friday', hour_of_day: 17, timezone: 'Europe/Berlin' },
    });

    await press(lines.getByRole('button', { name: 'Send now: Every Friday' }));
    await page.getByText(/^The report of \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d is being sent$/).waitFor();
    await nextMail(culprit.mailDirectory, 'lead@example.test', 0, 'Weekly report: shop');
    const sendNow = lines.getByRole('button', { name: /send now: Every Friday/i });
    await press(sendNow);
    const secondsLeft = async () => Number(/^Again in (\d+) s$/.exec((await sendNow.innerText()) ?? '')?.[1]);
    await soon(secondsLeft).toBeGreaterThan(0);
    const before = await secondsLeft();
    await soon(secondsLeft).toBeLessThan(before);
    expect(await sendNow.getAttribute('aria-disabled')).toBe('true');

    await page.keyboard.press('n');
    const made = page.getByRole('dialog', { name: 'New weekly report' });
    await choose(made.getByLabel('Slack channel'), { index: 1 });
    await press(made.getByRole('button', { name: 'Create report' }));
    await lines.getByText('#alerts in Acme').waitFor();
    await expectSoundLooks(page, 'the reports');
    await press(page.getByRole('switch', { name: /a mail to/ }));
    await soon(async () => (await reports.mailChannel()).is_enabled).toBe(false);
    await press(page.getByRole('button', { name: /^Delete: .*a mail to/ }));
    await press(page.getByRole('button', { name: 'Delete the report' }));
    await soon(() => lines.count()).toBe(1);
    // The line with the focus is gone; the one that is left has it.
    await soon(() => lines.locator(':focus').count()).toBe(1);
    expectQuiet(429);
  });

  it('each link of a message in Slack, a webhook, a mail and a report opens what it names, signed in and after the sign-in', async () => {
    const email = 'links@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const { project } = client;
    const receiver = await startReceiver();
    const destination = await slackClient(culprit, slack, project).destination();
    const toSlack = { slack_destination_id: destination.slack_destination_id };
    const alerts = alertClient(culprit, project);
    for (const [channel, config] of [
      ['slack', toSlack],
      ['webhook', { target_url: receiver.url }],
      ['email', { to: 'told@example.test' }],
    ] as const) {
      await alerts.create({ channel, config, severity_min: null });
    }
    await webhookClient(culprit, project).create(receiver.url, { events: ['bundle.created'] });
    await client.send(EXR());
    const { incident_id: id } = await client.only(1);
    const title = /Cannot read properties/;
    const { bundle_id: bundleId } = await client.bundle(id);
    const reports = reportClient(culprit, project);
    const mailed = await reports.mailChannel();
    const posted = await reports.createSlack(toSlack, mailed.schedule);
    for (const { channel_id: channelId } of [mailed, posted]) {
      expect((await client.post(`/v1/weekly-report-channels/${channelId}/send`)).status).toBe(200);
    }
    const mails = [
      await nextMail(culprit.mailDirectory, 'told@example.test'),
      await nextMail(culprit.mailDirectory, email, 0, 'Weekly report'),
    ];
    await soon(() => slack.messages(destination.slack_channel_id).length).toBe(2);
    await soon(() => receiver.requests.length).toBe(2);
    await receiver.stop();
    const sent = [
      JSON.stringify(slack.messages(destination.slack_channel_id)),
      ...receiver.requests.map(({ body }) => body.toString()),
      ...mails.flatMap(({ text, html }) => [text, html]),
    ].join('\n');
    const base = `/projects/${project.projectId}`;
    const places: Record<string, { path: string; heading: string | RegExp }> = {
      [`/incidents/${id}`]: { path: `/incidents/${id}`, heading: title },
      [`/bundles/${bundleId}`]: { path: `/incidents/${id}`, heading: title },
      [`/bundles/${bundleId}/reproduction`]: { path: `/incidents/${id}#reproduction`, heading: title },
      [base]: { path: base, heading: 'Overview' },
      [`${base}/alerts`]: { path: `${base}/alerts`, heading: 'Alerts' },
    };
    const links = new Set(sent.match(/https?:\/\/[^\s"'<>|\\)&]+/g));
    const ours = [...links].filter((link) => link.startsWith(culprit.url));
    expect(ours.map((link) => link.slice(culprit.url.length)).sort()).toEqual(Object.keys(places).sort());

    const known = await openSignedIn(browser, culprit, email);
    const stranger = await openWatchedPage(browser, culprit.url);
    for (const [link, { path, heading }] of Object.entries(places)) {
      await known.page.goto(culprit.url + link);
      await known.page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await soon(() => known.page.url()).toBe(culprit.url + path);

      await stranger.page.context().clearCookies();
      await stranger.page.goto(culprit.url + link);
      const { email: theirs } = await createCollaborator(culprit, project, 'member');
      await type(stranger.page.getByLabel('E-mail'), theirs);
      await press(stranger.page.getByRole('button', { name: 'Send code' }));
      await type(stranger.page.getByLabel('Code'), codeIn(await nextMail(culprit.mailDirectory, theirs)));
      await stranger.page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await soon(() => stranger.page.url()).toBe(culprit.url + path);
    }
    known.expectQuiet();
    stranger.expectQuiet();
  });
});

describe('without a Slack app', { timeout: 120_000 }, () => {
  it('Slack is in no menu, and its page says why nothing can be connected', async () => {
    const culprit = await startWithDashboard();
    const browser = await launchBrowser();
    const { project } = await connect(culprit, { email: 'none@example.test', name: 'shop' });
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'none@example.test');
    await page.goto(`${culprit.url}/projects/${project.projectId}/slack`);
    await page.getByText('Slack is not set up on this server.').waitFor();
    await page.getByRole('link', { name: 'Weekly report' }).waitFor();
    expect(await page.getByRole('link', { name: 'Slack', exact: true }).count()).toBe(0);
    await expectSoundLooks(page, 'Slack that is not set up');
    expectQuiet();
    await browser.close();
    await culprit.stop();
  });
});
