import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press } from '../support/keyboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { expectSoundLooks } from '../support/sound-looks.ts';

/** docs/contract/dashboard.md 4.9: what arrives, as it arrives. */
describe('the tail', { timeout: 180_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  it('follows what arrives, stands still when told to, and leads to the incident', async () => {
    const client = await connect(culprit, { email: 'owner@example.test', name: 'shop' });
    const { projectId } = client.project;
    const { page, expectQuiet } = await openSignedIn(browser, culprit, 'owner@example.test');
    await page.goto(`${culprit.url}/projects/${projectId}/tail`);
    await page.getByText('No events in the last minutes.').waitFor();
    await expectSoundLooks(page, 'no events');

    const line = (n: number) => ({
      ...EX(),
      event_type: 'log_event',
      timestamp: new Date().toISOString(),
      payload: { level: 'warning', message: `line ${n} <img src=x onerror=alert(1)>` },
    });
    await client.send(...Array.from({ length: 60 }, (_, n) => line(n)));
    const rows = page.getByRole('list', { name: 'Events' });
    await rows.getByText('line 59').waitFor();
    await page.getByText('60 events').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await soon(distanceFromEnd).toBeLessThan(10);
    await expectSoundLooks(page, 'a full tail');

    await page.keyboard.press('PageUp');
    await page.getByText('Paused here').waitFor();
    await soon(() => page.title()).toMatch(/^Paused · Live events/);
    await soon(movesPerFrame).toBe(0);
    const before = await page.evaluate(() => window.scrollY);
    await client.send(line(60), line(61));
    await page.getByText('Paused here · 2 newer').waitFor();
    expect(await page.evaluate(() => window.scrollY)).toBe(before);
    expect(await rows.getByText('line 61').count()).toBe(0);

    await page.keyboard.press('p');
    await rows.getByText('line 61').waitFor();
    await soon(() => page.title()).toMatch(/^Live events/);

    await page.keyboard.press('p');
    await page.getByText('Paused here').waitFor();
    await page.keyboard.press('p');
    await page.getByText('Live, every 2 s').waitFor();

    await press(page.getByRole('button', { name: 'Level' }));
    await press(page.getByRole('menuitemradio', { name: 'Error and above' }));
    await page.getByText('No matching events in the last minutes.').waitFor();
    expect(new URL(page.url()).searchParams.get('level')).toBe('error');
    const failed = () => ({
      ...EX(),
      timestamp: new Date().toISOString(),
      payload: {
        error_class: 'TypeError',
        message: 'total is undefined',
        stacktrace: 'TypeError: x\n at a (/a.js:1:1)',
      },
    });
    await client.send(failed(), failed(), failed());
    await rows.getByText('× 3').waitFor();
    // It arrives first, and belongs to an incident a moment later.
    const failure = rows.getByRole('link', { name: 'TypeError: total is undefined' });
    await failure.waitFor();
    await press(failure);
    await page.waitForURL(/\/incidents\/inc_[^?]+\?event=/);
    await page.getByRole('heading', { name: 'About this event' }).waitFor();
    expectQuiet();

    /** A key scrolls step by step. */
    function movesPerFrame(): Promise<number> {
      return page.evaluate(async () => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        await frame();
        const at = window.scrollY;
        for (let frames = 0; frames < 5; frames += 1) await frame();
        return Math.abs(window.scrollY - at);
      });
    }

    function distanceFromEnd(): Promise<number> {
      return page.evaluate(() => document.documentElement.scrollHeight - window.scrollY - window.innerHeight);
    }
  });
});
