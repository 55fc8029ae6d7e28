import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [360, 768, 1440];
const AXE_AT: Readonly<Record<number, readonly (readonly ['light' | 'dark', keyof typeof RULES])[]>> = {
  360: [['light', 'others']],
  1440: [
    ['light', 'all'],
    ['dark', 'colors'],
  ],
};

/** The rules that read colors, which are the same at each width; all other rules are the same in each theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];
const RULES = {
  all: {},
  colors: { runOnly: COLOR_RULES },
  others: { rules: Object.fromEntries(COLOR_RULES.map((rule) => [rule, { enabled: false }])) },
} as const;

/** Returns what axe-core finds, as rule and place. */
export async function violationsOn(page: Page, rules: keyof typeof RULES = 'all'): Promise<string[]> {
  // Not through the page's own policy: this is the tester's code.
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...RULES[rules] })}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`,
  );
  return Array.isArray(found) ? found.map(String) : [];
}

/** Fails where what is shown breaks a rule of accessibility in a theme, or runs over the page at a width. */
export async function expectSoundLooks(page: Page, place: string): Promise<void> {
  const size = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(over, `${place} at ${width}`).toBeLessThanOrEqual(0);
    for (const [colorScheme, rules] of AXE_AT[width] ?? []) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await violationsOn(page, rules), `${place} at ${width}, ${colorScheme}`).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (size !== null) await page.setViewportSize(size);
}

/** Fails where one part of a page covers another. */
export async function expectApart(one: Locator, other: Locator): Promise<void> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  if (a === null || b === null) throw new Error('a part is not shown');
  const isApart =
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
  expect(isApart, `${JSON.stringify(a)} and ${JSON.stringify(b)}`).toBe(true);
}
