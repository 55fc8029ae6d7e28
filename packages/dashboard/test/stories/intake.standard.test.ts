import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX, LOG } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import { createCollaborator } from '../../../server/test/support/collaborators.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { ruleClient } from '../../../server/test/support/rule-client.ts';
import { acknowledgement, sendEvents } from '../../../server/test/support/send-events.ts';
import {
  authOf,
  envelope,
  errorEnvelope,
  newEventId,
  post,
  sentryTarget,
} from '../../../server/test/support/sentry-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press, type } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** Until an open page shows what was rejected, by its own clock. */
const SHOWN_WITHIN_MS = 5_000;
/** Shorter than the pause between reads while the stream is there. */
const TOLD_WITHIN_MS = 60_000;

/** docs/contract/dashboard.md 4.17, and item 25 of its checklist. */
describe('intake', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  /** The sum that the page writes out, as its numbers by their words. */
  async function sumOn(page: Page): Promise<Map<string, number>> {
    const text = await page
      .getByRole('paragraph')
      .filter({ hasText: /^[\d,]+ submitted/ })
      .innerText();
    const parts = text.replaceAll(/\s+/g, ' ').matchAll(/([\d,]+) ([a-z ]+?)(?= [=+]|$)/g);
    return new Map(
      [...parts].map(([, figure = '', word = '']) => [word.trim(), Number(figure.replaceAll(',', ''))]),
    );
  }

  it('an address for a Sentry library is shown, limited to pages and revoked; what is not stored is listed', async () => {
    const email = 'dsn@example.test';
    const project = await culprit.createProject({ email, name: 'shop' });
    const target = await sentryTarget(culprit, project);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/settings`);
    await page.getByText(target.record.dsn).waitFor();
    await press(page.getByRole('link', { name: 'All DSN keys' }));
    const row = page.getByRole('table', { name: 'DSN keys' }).getByRole('row', { name: /Default/ });
    await row.getByText(target.record.dsn).waitFor();
    await press(row.getByRole('button', { name: 'Edit Default' }));
    await type(page.getByLabel('Origins'), 'https://shop.example');
    await press(page.getByRole('button', { name: 'Save key' }));
    await row.getByText('https://shop.example').waitFor();
    const session = envelope([{ type: 'session', payload: {} }]);
    const asPage = { ...authOf(target.key), origin: 'https://shop.example' };
    expect((await post(target.envelope, session, authOf(target.key))).status).toBe(403);
    expect((await post(target.envelope, session, asPage)).status).toBe(200);
    await press(row.getByRole('button', { name: 'Revoke Default' }));
    await press(page.getByRole('button', { name: 'Revoke the key' }));
    await row.getByText('revoked').waitFor();
    expect((await post(target.envelope, errorEnvelope(newEventId()), asPage)).status).toBe(401);
    await expectSoundLooks(page, 'tokens');
    await eventually(async () => {
      await page.goto(`${culprit.url}/projects/${project.projectId}/intake`);
      const kinds = page.getByRole('table', { name: 'Items by kind' });
      await kinds.getByRole('row', { name: /session/ }).waitFor({ timeout: 3000 });
    });
    await page.getByText('The library stops sending it').waitFor();
    expectQuiet();
  });

  it('the fates add up and equal what the senders counted, and an event is found by its id', async () => {
    const email = 'intake@example.test';
    const client = await connect(culprit, { email, name: 'shop' });
    const { project } = client;
    await ruleClient(culprit.url, project).create({ name: 'quiet', matcher: { services: ['quiet'] } });
    const second = await culprit.createProjectToken(project.projectId);
    const batches = [
      [
        project.projectToken,
        [
          { ...EX(), event_id: 'evt-twice' },
          { ...EX(), event_id: 'evt-twice' },
          EX({ service: { name: 'quiet' } }),
          { event_type: 'log_event' },
        ],
      ],
      [second, [LOG('debug', 'nobody wants this'), EX()]],
    ] as const;
    let sent = 0;
    for (const [token, events] of batches) {
      const { accepted, rejected } = acknowledgement(await sendEvents(culprit.url, token, events));
      sent += accepted + rejected;
    }
    await client.processed();

    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/intake`);
    await page.getByRole('table', { name: 'Outcomes', exact: true }).waitFor();
    const shown = await sumOn(page);
    expect(Object.fromEntries(shown)).toEqual({
      submitted: sent,
      processed: 2,
      duplicates: 1,
      discarded: 1,
      'outside the preset': 1,
      invalid: 1,
    });
    const { submitted, ...fates } = Object.fromEntries(shown);
    expect(Object.values(fates).reduce((sum, each) => sum + each, 0)).toBe(submitted);
    const rejected = page.getByRole('table', { name: 'Rejected events' });
    expect((await rejected.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).slice(0, 4)).toEqual([
      'invalid_event: missing field "timestamp"',
      'bootstrap',
      '1',
      'Add the field.',
    ]);
    const byToken = page.getByRole('table', { name: 'Outcomes by token' });
    expect(
      await byToken.getByRole('row').filter({ hasText: 'bootstrap' }).getByRole('cell').allInnerTexts(),
    ).toEqual(['bootstrap', '4', '1', '2', '1', '0']);
    await page
      .getByRole('table', { name: 'Outcomes by filter' })
      .getByRole('link', { name: 'quiet' })
      .waitFor();
    await press(page.getByRole('button', { name: 'Show as table' }));
    const cells = page.getByRole('figure').getByRole('cell');
    const counted = (await cells.allInnerTexts()).reduce((sum, figure) => sum + Number(figure), 0);
    expect(counted).toBe(sent);
    await press(page.getByRole('button', { name: 'Show as plot' }));

    await press(page.getByText('30 days'));
    await page.waitForURL(/span=30d/);
    await page.getByRole('slider', { name: /events by day/ }).waitFor();
    expect((await sumOn(page)).get('submitted')).toBe(sent);

    await type(page.getByLabel('Event, trace, request or session id'), 'evt-twice');
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Found' }).getByText('an event').waitFor();
    expect(new URL(page.url()).searchParams.get('id')).toBe('evt-twice');
    await type(page.getByLabel('Event, trace, request or session id'), 'evt-never');
    await press(page.getByRole('button', { name: 'Look up' }));
    await page.getByText('Nothing here has').waitFor();
    await expectSoundLooks(page, 'intake');

    await type(page.getByLabel('Event, trace, request or session id'), 'evt-twice');
    await page.keyboard.press('Enter');
    await press(page.getByRole('link', { name: 'Open its incident' }));
    await page.waitForURL(/\/incidents\/inc_/);
    expectQuiet();
  });

  it('an open page shows ten rejected events with reason and token by itself: told, and by asking where there is no stream', async () => {
    const email = 'rejected@example.test';
    const { project } = await connect(culprit, { email, name: 'shop' });
    const { project: other } = await connect(culprit);
    const address = `${culprit.url}/projects/${project.projectId}/intake`;
    const sendBad = (token: string) =>
      sendEvents(
        culprit.url,
        token,
        Array.from({ length: 10 }, () => ({ event_type: 'log_event' })),
      );
    const rowOn = (page: Page, events: string) =>
      page
        .getByRole('table', { name: 'Rejected events' })
        .getByRole('row')
        .filter({ hasText: 'invalid_event: missing field "timestamp"' })
        .filter({ hasText: 'bootstrap' })
        .filter({ has: page.getByRole('cell', { name: events, exact: true }) });

    const told = await openSignedIn(browser, culprit, email);
    const read = told.page.waitForResponse('**/v1/stream');
    await told.page.goto(address);
    await read;
    await told.page.getByText('No events in the last 24 hours.').waitFor();
    // What is read when the stream begins has been read.
    await told.page.waitForLoadState('networkidle');
    await sendBad(other.projectToken);
    await sendBad(project.projectToken);
    await rowOn(told.page, '10').waitFor({ timeout: TOLD_WITHIN_MS });
    told.expectQuiet();

    const asking = await openSignedIn(browser, culprit, email);
    await asking.page.clock.install();
    await asking.page.route('**/v1/stream', (route) => route.abort());
    await asking.page.goto(address);
    await rowOn(asking.page, '10').waitFor();
    const { clock } = asking.page;
    await clock.pauseAt(new Date(Date.now() + 1000));
    await sendBad(project.projectToken);
    await clock.runFor(SHOWN_WITHIN_MS);
    await eventually(async () => {
      // What has arrived is drawn a tick later.
      await clock.runFor(1);
      expect(await rowOn(asking.page, '20').count()).toBe(1);
    });
    // A page that is left open asks seldom.
    await clock.fastForward(11 * 60_000);
    await asking.page.waitForLoadState('networkidle');
    let asked = 0;
    asking.page.on('request', (request) => {
      if (request.url().includes('/event-fates')) asked += 1;
    });
    for (let passedMs = 0; passedMs < 60_000; passedMs += 2500) {
      await clock.runFor(2500);
      await asking.page.waitForLoadState('networkidle');
    }
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(5);
  });

  it('a project without events says so, and a member sees it all but the allowance', async () => {
    const project = await culprit.createProject({ email: 'idle@example.test', name: 'idle' });
    const member = await createCollaborator(culprit, project, 'member');
    const { page, expectQuiet } = await openSignedIn(browser, culprit, member.email);
    await page.goto(`${culprit.url}/projects/${project.projectId}/intake?span=7d`);
    await page.getByText('No events in the last 7 days.').waitFor();
    await page.getByText('The limit applies to the whole organization. Owner: idle@example.test').waitFor();
    expect(await page.getByText('Events of the organization').count()).toBe(0);
    expectQuiet();
  });
});
