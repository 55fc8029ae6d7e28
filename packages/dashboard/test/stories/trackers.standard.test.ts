import { TRACKER_FACTS } from '@culprit/contract/alerts/tracker-words';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { LOCAL_RECEIVERS } from '../../../server/test/support/receivers-allowed.ts';
import { sendRequest } from '../../../server/test/support/send-events.ts';
import { startTrackerServer, type TrackerServer } from '../../../server/test/support/tracker-server.ts';
import { TRACKER_TOKEN } from '../../../server/test/support/trackers/tracker-store.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { choose, press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** docs/contract/team-workflow.md 7, by keyboard. */
describe('tickets of incidents', { timeout: 180_000 }, () => {
  let tracker: TrackerServer;
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    tracker = await startTrackerServer();
    [culprit, browser] = await Promise.all([
      startWithDashboard({ outbound: LOCAL_RECEIVERS, retryScale: 0.03 }),
      launchBrowser(),
    ]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
    await tracker?.close();
  });

  it('an admin connects a tracker, and a person creates, links and removes tickets on the incident', async () => {
    const client = await connect(culprit, { email: 'tickets@example.test', name: 'shop' });
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'tickets@example.test');

    await page.goto(`${culprit.url}/projects/${client.project.projectId}/trackers`);
    await page.getByText('No issue tracker is connected.').waitFor();
    await press(page.getByRole('button', { name: 'Connect a tracker' }).first());
    const dialog = page.getByRole('dialog');
    await choose(dialog.getByLabel('Product'), 'GitHub Issues');
    await type(dialog.getByLabel('Address'), tracker.url);
    await type(dialog.getByLabel('Token'), TRACKER_TOKEN);
    await press(dialog.getByRole('button', { name: 'Choose repository from a list' }));
    await choose(dialog.getByRole('combobox', { name: 'Repository' }), 'acme/shop');
    await choose(dialog.getByLabel('Assignee'), 'Ticket to incident');
    await press(dialog.getByLabel('Add new notes as comments to the ticket, and its comments as notes'));
    await press(dialog.getByRole('button', { name: 'Connect tracker' }));
    const line = page.getByRole('list', { name: 'Issue trackers' }).getByRole('listitem');
    await line.getByText('as octo').waitFor();
    await expectSoundLooks(page, 'trackers');
    await press(line.getByRole('button', { name: 'Set up webhook of' }));
    await expectSoundLooks(page, 'webhook of a tracker');
    await press(page.getByRole('dialog').getByRole('button', { name: 'Show address and secret' }));
    await page.getByRole('dialog').getByText('/v1/tracker-hooks/').waitFor();
    await press(page.getByRole('button', { name: 'I have stored it' }));
    await line.getByText('waiting for its webhook').waitFor();
    tracker.rules.rights.level = 30;
    await press(line.getByRole('button', { name: 'Test' }));
    await line.getByText('The connection works. Its token cannot create webhooks').waitFor();
    await press(line.getByRole('button', { name: 'Set up webhook of' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }));
    await page.getByRole('dialog').getByText('The tracker refused the token or the request.').waitFor();
    tracker.rules.rights.level = 40;
    await press(page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(tracker.hooks).toHaveLength(1);

    await page.goto(`${culprit.url}/incidents/${id}`);
    const section = page.getByRole('region', { name: 'Tickets' });
    await section.waitFor();
    await page.keyboard.press('t');
    await press(page.getByRole('dialog').getByRole('button', { name: 'bug' }));
    await expectSoundLooks(page, 'new ticket');
    await press(page.getByRole('dialog').getByRole('button', { name: 'Create ticket' }));
    await section.getByRole('link', { name: 'acme/shop#1' }).waitFor();
    await soon(() => tracker.tickets.length).toBe(1);
    expect(tracker.tickets[0]?.labels).toEqual(['bug']);
    await expectSoundLooks(page, 'incident with a ticket');
    await press(section.getByRole('button', { name: 'Sync settings of acme/shop#1' }));
    const sync = page.getByRole('dialog');
    await press(sync.getByLabel('Add a comment when the incident spikes'));
    await choose(sync.getByLabel('When a ticket is closed as not planned'), 'Change nothing');
    await expectSoundLooks(page, 'sync of a ticket');
    await press(sync.getByRole('button', { name: 'Save settings' }));
    await section.getByText('has its own sync settings').waitFor();
    await press(section.getByRole('button', { name: 'Sync settings of acme/shop#1' }));
    await press(sync.getByRole('button', { name: 'Use the settings of the tracker' }));
    await section.getByText('has its own sync settings').waitFor({ state: 'detached' });

    await press(section.getByRole('button', { name: 'Link ticket' }));
    await type(page.getByRole('dialog').getByLabel('Key, address or title'), 'TypeError');
    await page.locator('datalist option[value="acme/shop#1"]').waitFor({ state: 'attached' });
    await choose(page.getByRole('dialog').getByLabel('Issue tracker'), 'None: any web address');
    await type(page.getByRole('dialog').getByLabel('Address'), 'https://wiki.example/outage');
    await press(page.getByRole('dialog').getByRole('button', { name: 'Link ticket' }));
    await section.getByRole('link', { name: 'https://wiki.example/outage' }).waitFor();
    await press(section.getByRole('button', { name: 'Remove https://wiki.example/outage' }));
    await section.getByRole('link', { name: 'https://wiki.example/outage' }).waitFor({ state: 'detached' });

    tracker.comment(1, 'It was the cache');
    await page.getByText('ben on acme/shop#1:').waitFor();
    await page.getByText('Issue tracker', { exact: true }).waitFor();
    tracker.move(1, true, 'completed');
    await page.getByText('Resolved because Ben Smith closed its ticket').waitFor();
    expect((await client.read(id)).status).toBe('resolved');

    const { projectId } = client.project;
    const code = 'https://git.example/acme/shop';
    await sendRequest(`${culprit.url}/v1/projects/${projectId}`, {
      method: 'PATCH',
      token: client.project.memberToken,
      body: JSON.stringify({ repositories: [{ kind: 'gitlab', url: code }] }),
    });
    const commit_sha = '6e3ef9e1f0c2a4b6d8e0f1a2b3c4d5e6f7a8b9c0';
    const made = await client.post(`/v1/projects/${projectId}/releases`, { version: '1.0.0', commit_sha });
    const { release_id: releaseId } = (made.body as { release: { release_id: string } }).release;
    await page.goto(`${culprit.url}/projects/${projectId}/releases/${releaseId}`);
    const commit = page.getByRole('link', { name: '6e3ef9e' });
    await commit.waitFor();
    expect(await commit.getAttribute('href')).toBe(`${code}/-/commit/${commit_sha}`);
    expectQuiet(409);
  });

  it('a custom tracker is connected, its secret is shown once, and a rule creates its tickets there', async () => {
    const client = await connect(culprit, { email: 'custom@example.test', name: 'shop' });
    const { projectId } = client.project;
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'custom@example.test');
    await page.goto(`${culprit.url}/projects/${projectId}/trackers`);
    await press(page.getByRole('button', { name: 'Connect a tracker' }).first());
    const dialog = page.getByRole('dialog');
    await choose(dialog.getByLabel('Product'), 'generic');
    // Its secret is ours, so there is no token to type, and no list to read.
    expect(await dialog.getByLabel('Token').count()).toBe(0);
    expect(await dialog.getByRole('button', { name: /from a list/ }).count()).toBe(0);
    await press(dialog.getByRole('button', { name: 'Connect tracker' }));
    await dialog.getByText('Enter an address, such as https://tickets.example.com/culprit').waitFor();
    await type(dialog.getByLabel('Address'), `${tracker.url}/generic`);
    await type(dialog.getByLabel(TRACKER_FACTS.generic.target), 'support');
    await press(dialog.getByRole('button', { name: 'Connect tracker' }));
    const shown = page.getByRole('dialog').getByText(/^[\w-]{20,}$/);
    await shown.first().waitFor();
    const secret = (await shown.first().textContent()) ?? '';
    await press(page.getByRole('button', { name: 'I have stored it' }));
    const line = page.getByRole('list', { name: 'Issue trackers' }).getByRole('listitem');
    await line.getByText('support').waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.goto(`${culprit.url}/projects/${projectId}/alerts`);
    await page.getByText('No alerts yet.').waitFor();
    await page.keyboard.press('n');
    await choose(page.getByLabel('Channel'), 'tracker');
    await press(page.getByRole('button', { name: 'Create rule' }));
    await page.getByText('Choose an issue tracker').waitFor();
    await choose(page.getByLabel('Issue tracker'), { index: 1 });
    await choose(page.getByLabel('Minimum severity'), 'any severity');
    const effect = page.getByRole('region', { name: 'What this rule does' });
    await effect.getByText(/create a ticket in .*support/).waitFor();
    await press(page.getByRole('button', { name: 'Create rule' }));
    await page
      .getByText(/create a ticket in .*support/)
      .first()
      .waitFor();
    await client.send(EX());
    await soon(() => tracker.requests.filter(({ url }) => url === '/generic').length).toBeGreaterThan(0);
    expectQuiet();
  });
});
