import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EX, EXR } from '../../../server/test/conformance/incidents-fixtures.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { accessibilityTree, focusOf } from '../support/accessibility-tree.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { press } from '../support/keyboard.ts';
import { settled } from '../support/settled.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';

/** docs/contract/dashboard.md 3.2, 3.3 and 6.4, checklist 34 and 35: zoom, contrast mode, little motion, one zone. */

const OWNER = 'circumstances@example.test';
/** What a window of 1280 pixels has left at 400 %. */
const ZOOMED = { width: 320, height: 256 };

describe('the list and the incident page', { timeout: 120_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  let paths: string[];
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
    const client = await connect(culprit, { email: OWNER, name: 'shop' });
    await client.send(EXR(), EX({ payload: { error_class: 'OtherError', message: 'other' } }));
    const [first] = await client.counted(1, 1);
    const id = first?.incident_id ?? '';
    await client.bundle(id);
    paths = [`/projects/${client.project.projectId}/incidents`, `/incidents/${id}`];
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  async function open(page: Page, path: string): Promise<void> {
    await page.goto(culprit.url + path);
    await page
      .getByRole('link', { name: /Error/ })
      .or(page.getByRole('heading', { name: 'Grouping' }))
      .first()
      .waitFor();
    await settled(page);
  }

  it('lose nothing at 400 %: no sideways scrolling, and every button can be reached and is seen', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER, { viewport: ZOOMED });
    for (const path of paths) {
      await open(page, path);
      const over = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(over, path).toBeLessThanOrEqual(0);
      // Where there is so little room, the filters of the list are folded away.
      if (path.endsWith('/incidents')) await page.getByRole('button', { name: 'Filters' }).click();
      const buttons = page.locator('main button:visible');
      expect(await buttons.count()).toBeGreaterThan(3);
      for (const button of await buttons.all()) {
        await button.scrollIntoViewIfNeeded();
        const box = await button.boundingBox();
        const name = `${path}: ${await button.getAttribute('aria-label')} ${await button.textContent()}`;
        expect(box?.x ?? -1, name).toBeGreaterThanOrEqual(0);
        expect((box?.x ?? 0) + (box?.width ?? 0), name).toBeLessThanOrEqual(ZOOMED.width);
      }
    }
    expectQuiet();
  });

  it('keep priority, state and focus visible where the system chooses the colours', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER, { forcedColors: 'active' });
    for (const path of paths) {
      await open(page, path);
      await page.getByText('High priority').first().waitFor();
      await page.keyboard.press('Tab');
      const outline = await page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
        return [outlineStyle, Number.parseFloat(outlineWidth)];
      });
      expect(outline[0], path).not.toBe('none');
      expect(outline[1], path).toBeGreaterThanOrEqual(2);
    }
    expectQuiet();
  });

  it('do not move where people want little motion', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER, { reducedMotion: 'reduce' });
    for (const path of paths) {
      await open(page, path);
      const longest = await page.evaluate(() => {
        const seconds = [...document.querySelectorAll('*')].flatMap((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element);
          return `${transitionDuration},${animationDuration}`
            .split(',')
            .map((each) => Number.parseFloat(each));
        });
        return Math.max(...seconds);
      });
      expect(longest, path).toBeLessThanOrEqual(0.001);
    }
    expectQuiet();
  });

  it('write every time in the zone that was chosen, with its name where it is written out', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await page.addInitScript(() => {
      localStorage.setItem('culprit.appearance', JSON.stringify({ zone: 'Asia/Kolkata' }));
    });
    await open(page, paths[1] ?? '');
    await press(page.getByRole('button', { name: 'All events' }));
    await page.getByRole('table', { name: 'Events' }).getByRole('link').first().waitFor();
    const zones = (await page.locator('main').innerText()).match(/\b(?:GMT|UTC)[+-]?[\d:]*/g) ?? [];
    expect(zones.length).toBeGreaterThan(2);
    expect(new Set(zones)).toEqual(new Set(['GMT+5:30']));
    const project = (paths[0] ?? '').replace(/\/incidents$/, '');
    for (const path of [project, `${project}/intake`]) {
      await page.goto(culprit.url + path);
      const plot = page.getByRole('slider').first();
      await plot.focus();
      await page.keyboard.press('End');
      const ofPlot = /\b(?:GMT|UTC)[+-]?[\d:]*\d/.exec(
        (await plot.getAttribute('aria-valuetext')) ?? '',
      )?.[0];
      expect(ofPlot, path).toBe('GMT+5:30');
    }
    expectQuiet();
  });

  it('`?` lists the keys that work, and each of them does what it says', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await open(page, paths[0] ?? '');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard' });
    await dialog.waitFor();
    const lines = await dialog
      .locator('dl > div')
      .evaluateAll((each) =>
        each.map((line) => [
          line.querySelector('kbd')?.textContent ?? '',
          line.querySelector('dt')?.textContent ?? '',
        ]),
      );
    const listed = new Map(lines.map(([keys = '', label = '']) => [keys, label]));
    expect([...listed.keys()]).toEqual(
      expect.arrayContaining([
        'J',
        'K',
        'X',
        'Shift X',
        'Shift J',
        'E',
        'Shift E',
        'Z',
        'Space',
        'Escape',
        '/',
        'Ctrl K',
        'G then P',
      ]),
    );
    const screens = [...listed].filter(([keys]) => /^G then [^P]$/.test(keys));
    expect(screens.length).toBeGreaterThanOrEqual(10);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    for (const [keys, label] of screens) {
      await page.keyboard.press('g');
      await page.keyboard.press(keys.at(-1)?.toLowerCase() ?? '');
      const entry = page.getByRole('link', { name: new RegExp(`^${label}`) });
      await soon(() => entry.first().getAttribute('aria-current')).toBe('page');
      // A screen that is not there yet cannot take a key.
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    }
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('menu', { name: 'Project shop' }).waitFor();
    expectQuiet();
  });

  it('single keys do nothing once they are disabled', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await page.addInitScript(() => {
      localStorage.setItem('culprit.appearance', JSON.stringify({ hasShortcuts: false }));
    });
    await open(page, paths[0] ?? '');
    for (const key of ['j', 'x', '?', '/', 'g', 'o']) await page.keyboard.press(key);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(paths[0]);
    expect(await page.getByRole('dialog', { name: 'Keyboard' }).count()).toBe(0);
    expect(await page.locator('[data-selected="true"]').count()).toBe(0);
    expectQuiet();
  });

  it('lead the focus from screen to screen, into dialogs and back, and say what happened', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, OWNER);
    await open(page, paths[1] ?? '');
    await soon(() => focusOf(page)).toMatch(/^heading \S*Error /);
    await page.keyboard.press('Control+k');
    await soon(() => focusOf(page)).toMatch(/^combobox /);
    await page.keyboard.press('Escape');
    await soon(() => focusOf(page)).toMatch(/^heading /);

    await press(page.getByRole('button', { name: 'More actions' }));
    await press(page.getByRole('menuitem', { name: /^Filter events like these/ }));
    await page.getByRole('dialog', { name: 'Filter events like these' }).waitFor();
    await page.keyboard.press('Escape');
    await soon(() => focusOf(page)).toMatch(/^button More actions/);
    await page.keyboard.press('4');
    await soon(() => focusOf(page)).toMatch(/^heading /);

    const spoken = async () =>
      (await accessibilityTree(page)).filter(({ live }) => live === 'polite').length > 0
        ? await page.locator('[aria-live="polite"]').first().textContent()
        : null;
    await page.keyboard.press('e');
    await soon(spoken).toBe('Resolved 1 incident. Undo: Z');
    await page.keyboard.press('z');
    await soon(spoken).toBe('Undone. Nothing was sent.');

    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('table', { name: 'Incidents' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Incidents' }).waitFor({ state: 'attached' });
    await page.keyboard.press('/');
    await soon(() => focusOf(page)).toMatch(/^combobox Search incidents/);
    await page.keyboard.insertText('OtherError');
    await soon(spoken).toBe('1 incident');
    expectQuiet();
  });
});
