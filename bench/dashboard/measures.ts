import type { Page } from 'playwright-core';
import type { MeasuredPage, Sought } from './measured-page.ts';

/** The actions of a person with the list, the incident and the menu; each returns milliseconds. */

const ROWS = '[role="table"][aria-label="Incidents"] [data-row]';
const READ_TIMEOUT_MS = 600_000;
/** Elements of a screen that were there when it was read; times and marks may come and go. */
const WHOLE_SHARE = 0.9;

export const LIST: Sought = { selector: ROWS, least: 10 };
const INCIDENT: Sought = { selector: 'main h2', text: 'What is known' };

export function rowOf(id: string): string {
  return `[data-row="${id}"]`;
}

export async function listedIds(page: Page): Promise<string[]> {
  return await page
    .locator(ROWS)
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row') ?? ''));
}

/** Opens incidents of the list that were read before, and comes back from each. */
export async function listAndIncident(measured: MeasuredPage, ids: readonly string[]): Promise<number[]> {
  const { page, paintedAfter, untilQuiet } = measured;
  const times: number[] = [];
  for (const isRead of [false, true]) {
    for (const id of ids) {
      const there = await paintedAfter(() => page.locator(rowOf(id)).click(), INCIDENT);
      await untilQuiet();
      const toList = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' });
      const back = await paintedAfter(() => toList.click(), LIST);
      await untilQuiet();
      if (isRead) times.push(there, back);
    }
  }
  return times;
}

/** Goes to every screen of the menu, first to read it, then to measure; by path. */
export async function menu({ page, paintedAfter, untilQuiet }: MeasuredPage): Promise<Map<string, number>> {
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  const paths = await links.evaluateAll((each) => each.map((link) => link.getAttribute('href') ?? ''));
  const whole = new Map<string, Sought>();
  const times = new Map<string, number>();
  const go = (path: string) => page.locator(`nav a[href="${path}"]`).click();
  for (const path of paths) {
    await go(path);
    await page.waitForURL(`**${path}`);
    await page.locator('main h1').waitFor();
    await untilQuiet();
    const elements = await page.locator('main *').count();
    const text = (await page.locator('main h1').textContent()) ?? '';
    whole.set(path, { selector: 'main *', text, least: Math.floor(elements * WHOLE_SHARE) });
  }
  for (const [path, sought] of whole) {
    times.set(path, await paintedAfter(() => go(path), sought));
    await untilQuiet();
  }
  return times;
}

/** Another list than the one that was read. */
export async function filter({ page, paintedAfter }: MeasuredPage): Promise<number> {
  const choice = page.locator('fieldset label', { hasText: 'Resolved' });
  return await paintedAfter(() => choice.click(), {
    selector: '[role="rowgroup"] [role="row"]',
    text: 'Resolved',
    least: 10,
  });
}

/** The keyboard goes down the list. */
export async function keys({ page, paintedAfter }: MeasuredPage, presses: number): Promise<number[]> {
  const ids = await listedIds(page);
  const times: number[] = [];
  await page.keyboard.press('j');
  await page.locator(`${rowOf(ids[0] ?? '')}:focus`).waitFor();
  for (const id of ids.slice(1, presses + 1)) {
    times.push(await paintedAfter(() => page.keyboard.press('j'), { selector: `${rowOf(id)}:focus` }));
  }
  return times;
}

/** Opens the palette again and again; the first time loads it. */
export async function palette({ page, paintedAfter }: MeasuredPage, openings: number): Promise<number[]> {
  const times: number[] = [];
  const opened: Sought = { selector: 'dialog[open] [role="option"]', least: 10 };
  for (let opening = 0; opening <= openings; opening += 1) {
    const ms = await paintedAfter(() => page.keyboard.press('ControlOrMeta+k'), opened);
    if (opening > 0) times.push(ms);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  return times;
}

/** Brings a row, counted from 0, into view. */
export async function showRow(page: Page, place: number): Promise<void> {
  await page.evaluate((rowPlace) => {
    const group = document.querySelector('[role="rowgroup"]')?.getBoundingClientRect();
    const row = document.querySelector('[role="rowgroup"] [role="row"]')?.getBoundingClientRect();
    if (group === undefined || row === undefined) return;
    const top = group.top + window.scrollY + rowPlace * row.height;
    window.scrollTo({ top: top - window.innerHeight / 2, behavior: 'instant' });
  }, place);
}

/** Selects so many rows of those that were read: the first, and with the shift key the last. */
export async function select({ page, paintedAfter }: MeasuredPage, rows: number): Promise<number> {
  const box = (place: number) =>
    page.locator(`[role="row"][aria-rowindex="${place + 2}"] input[type="checkbox"]`);
  await showRow(page, 0);
  await box(0).click();
  await showRow(page, rows - 1);
  const last = box(rows - 1);
  await last.waitFor();
  return await paintedAfter(() => last.click({ modifiers: ['Shift'] }), {
    selector: '[role="region"]',
    text: `${rows.toLocaleString('en')} selected`,
  });
}

/** Goes to the end of the list until so many rows were read. */
export async function readRows(page: Page, rows: number): Promise<void> {
  const deadline = performance.now() + READ_TIMEOUT_MS;
  let seen = 0;
  // The head is the first row of the table.
  while (seen <= rows) {
    if (performance.now() > deadline) throw new Error(`only ${seen} rows were read`);
    seen = await page.evaluate(async () => {
      window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const last = [...document.querySelectorAll('[role="row"]')].at(-1);
      return Number(last?.getAttribute('aria-rowindex') ?? 0);
    });
  }
}
