import { getIncidentActivity } from '@culprit/contract/incidents/incident-activity';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRows, rowOf, showRow } from '../../../../bench/dashboard/measures.ts';
import { fillIncidents } from '../../../../bench/service/fill-incidents.ts';
import { launchBrowser } from '../../../server/test/support/browser.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { connect } from '../../../server/test/support/incident-client.ts';
import { newAddress } from '../../../server/test/support/people.ts';
import { startWithDashboard } from '../support/dashboard.ts';
import { openSignedIn } from '../support/signed-in-page.ts';
import { soon } from '../support/soon.ts';
import { expectApart } from '../support/sound-looks.ts';

/** docs/contract/dashboard.md 11, items 11 and 13: a list of more rows than one action takes, and than one reads twice. */

const INCIDENTS = 5100;
const DEEP_ROW = 5000;
/** Within the ten pages that are read again. */
const REREAD_ROW = 700;
const MOST = 1000;

describe('a long list', { timeout: 180_000 }, () => {
  let culprit: TestCulprit;
  let browser: Browser;
  const email = newAddress('long');
  let projectId: string;
  beforeAll(async () => {
    [culprit, browser] = await Promise.all([startWithDashboard(), launchBrowser()]);
    const { project } = await connect(culprit, { email, name: 'shop' });
    projectId = project.projectId;
    await fillIncidents(culprit, { projectId: projectId.slice('proj_'.length) }, INCIDENTS);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await culprit?.stop();
  });

  async function idAt(place: number): Promise<string> {
    const [row] = await culprit.database.query<{ incident_id: string }>(
      {
        name: 'test-incident-at',
        text: 'select incident_id from incidents order by last_seen_at desc, incident_id desc offset $1 limit 1',
      },
      [place],
    );
    return `inc_${row?.incident_id}`;
  }

  async function criticalStatuses(): Promise<[id: string, status: string][]> {
    const rows = await culprit.database.query<{ incident_id: string; status: string }>({
      name: 'test-critical',
      text: `select incident_id, status from incidents where severity = 3
        order by last_seen_at desc, incident_id desc`,
    });
    return rows.map(({ incident_id: id, status }) => [id, status]);
  }

  it('back from an incident at row 5,000 there are the same rows at the same offset, and the focus; at row 700 also over a reload', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${projectId}/incidents?status=all`);
    await page.locator('[data-row]').first().waitFor();
    await readRows(page, INCIDENTS);
    for (const place of [DEEP_ROW, REREAD_ROW]) {
      const id = await idAt(place);
      await showRow(page, place);
      await page.locator(rowOf(id)).waitFor();
      const before = await view(page);
      await page.locator(rowOf(id)).click();
      await page.getByRole('heading', { level: 1, name: `problem ${place + 1}` }).waitFor();
      await page.goBack();
      await page.locator(`${rowOf(id)}:focus`).waitFor();
      expect(await view(page)).toEqual(before);
      if (place !== REREAD_ROW) continue;
      await page.reload();
      await page.locator(`${rowOf(id)}:focus`).waitFor();
      await soon(() => view(page)).toEqual(before);
    }
    expectQuiet();
  });

  it('asks for no trends of rows that pass quickly, and for those at which it comes to rest', async () => {
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    await page.goto(`${culprit.url}/projects/${projectId}/incidents?status=all`);
    await page.locator('[data-row]').first().waitFor();
    await readRows(page, 2000);
    await page.waitForLoadState('networkidle');
    let asked = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === getIncidentActivity.path) asked += 1;
    });
    // A screen and more at each frame, back to the first row.
    const frames = await page.evaluate(async () => {
      let count = 0;
      for (; window.scrollY > 0; count += 1) {
        window.scrollBy({ top: -2 * window.innerHeight, behavior: 'instant' });
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return count;
    });
    await page.locator(rowOf(await idAt(0))).waitFor();
    await page.waitForLoadState('networkidle');
    expect(frames).toBeGreaterThan(30);
    // A frame that comes late counts as a rest.
    expect(asked).toBeLessThan(frames / 3);
    expectQuiet();
  });

  it('an action changes exactly the thousand that are selected, after a question; one more cannot be sent, by button or by key', async () => {
    const before = await criticalStatuses();
    const chosen = new Set(before.slice(0, MOST).map(([id]) => id));
    expect(before.length).toBeGreaterThan(MOST + 1);
    const { page, expectQuiet } = await openSignedIn(browser, culprit, email);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.goto(`${culprit.url}/projects/${projectId}/incidents?status=all&severity=critical`);
    await page.getByRole('checkbox', { name: 'Select all 100 that are shown' }).check();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    const bar = page.getByRole('region', { name: 'Chosen incidents' });
    await bar.getByText('the first 1,000 selected').waitFor();

    await showRow(page, MOST);
    const next = page.locator(`[role="row"][aria-rowindex="${MOST + 2}"] input`);
    await next.check();
    await bar.getByText('1,001 selected').waitFor();
    const resolve = bar.getByRole('button', { name: /^Resolve/ });
    expect(await resolve.getAttribute('aria-disabled')).toBe('true');
    expect(await resolve.getAttribute('aria-description')).toContain('At most 1,000 in one step');
    await page.keyboard.press('e');
    await page.getByText('At most 1,000 in one step. Nothing was changed.').first().waitFor();
    await next.uncheck();

    await page.keyboard.press('e');
    await page.getByRole('dialog').getByText('You can undo this for 5 seconds.').waitFor();
    const sure = page.getByRole('dialog').getByRole('button', { name: 'Resolve 1,000 incidents' });
    expect(await isRed(sure), 'red is for what cannot be undone').toBe(false);
    await sure.click();
    const undo = page.getByRole('region', { name: 'Recent actions' }).getByRole('button', { name: /^Undo/ });
    await expectApart(undo, bar);
    await page.getByText('Resolved 1,000 incidents').first().waitFor();
    const expected = before.map(([id, status]) => [id, chosen.has(id) ? 'resolved' : status]);
    await eventually(async () => {
      if (sent.length === 0) throw new Error('nothing is sent yet');
      const now = new Map(await criticalStatuses());
      const open = [...chosen].filter((id) => now.get(id) !== 'resolved');
      if (open.length > 0) throw new Error(`${open.length} of the chosen are not resolved`);
    }, 60_000);
    const after = new Map(await criticalStatuses());
    expect(before.map(([id]) => [id, after.get(id)])).toEqual(expected);
    expect(sent).toEqual([`${culprit.url}/v1/incidents/resolve`]);
    expectQuiet();
  });
});

/** Where the page stands, and which rows are in view. */
async function view(page: Page): Promise<{ offset: number; rows: string[] }> {
  return await page.evaluate(() => ({
    offset: window.scrollY,
    rows: [...document.querySelectorAll('[data-row]')].flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > 0 && top < window.innerHeight ? [row.getAttribute('data-row') ?? ''] : [];
    }),
  }));
}

/** Whether a button has the color of what cannot be undone. */
async function isRed(button: Locator): Promise<boolean> {
  return await button.evaluate((it) => {
    const probe = document.createElement('span');
    probe.style.color = 'var(--critical)';
    document.body.append(probe);
    const red = getComputedStyle(probe).color;
    probe.remove();
    return getComputedStyle(it).color === red;
  });
}
