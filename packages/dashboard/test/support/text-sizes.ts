import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const TOKENS = readFileSync(new URL('../../src/tokens.css', import.meta.url), 'utf8');
const ROOT_PX = 16;

/** The size of each font token, in pixels. */
export function textSizes(): ReadonlyMap<string, number> {
  return new Map(
    [...TOKENS.matchAll(/^\s*--([\w-]+): ([\d.]+)rem \/ [\d.]+rem var\(--font-/gm)].map(
      ([, name = '', rem]) => [name, Number(rem) * ROOT_PX],
    ),
  );
}

/** Visible text whose computed size is that of no token, as the size and its first words. */
export async function foreignSizesOn(page: Page): Promise<string[]> {
  const sizes = [...new Set(textSizes().values())];
  const found: unknown = await page.evaluate(
    `(() => {
      const sizes = ${JSON.stringify(sizes)};
      const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const found = root === ${ROOT_PX} ? [] : ['html ' + root];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (node.data.trim() === '' || !parent.checkVisibility({ visibilityProperty: true })) continue;
        const size = parseFloat(getComputedStyle(parent).fontSize);
        if (!sizes.includes(size)) found.push(size + ' ' + node.data.trim().slice(0, 40));
      }
      return found;
    })()`,
  );
  return Array.isArray(found) ? found.map(String) : ['no answer'];
}
