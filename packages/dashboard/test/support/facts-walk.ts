import type { Page } from 'playwright-core';

/** What a walk over the text of a page found of given values. */
interface FactsOnPage {
  /** Values that were seen at least once. */
  seen: string[];
  /** Texts with a value that is neither a link or a button, nor has a button beside it that copies it. */
  dead: string[];
}

/**
 * Walks every visible text of the main part. What stands in a heading is what the page is about, and what stands in code
 * or JSON is a document that is copied whole.
 */
export async function factsOn(page: Page, values: readonly string[]): Promise<FactsOnPage> {
  const found = (await page.evaluate(
    `(() => {
      const values = ${JSON.stringify(values)}.map((value) => [value,
        new RegExp('(?<![\\\\w.-])' + value.replaceAll(/[.*+?^$()|[\\]\\\\{}]/g, '\\\\$&') + '(?![\\\\w-]|\\\\.\\\\w)')]);
      const seen = new Set();
      const dead = [];
      const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const parent = node.parentElement;
        const isShown = parent.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        const { width, height } = parent.getBoundingClientRect();
        if (!isShown || width <= 1 || height <= 1) continue;
        if (parent.closest('h1, h2, pre, option, [dir="ltr"][translate="no"]') !== null) continue;
        for (const [value, pattern] of values) {
          if (!pattern.test(node.data)) continue;
          seen.add(value);
          if (parent.closest('a[href], button, summary') !== null) continue;
          const place = parent.closest('dd, td, li, [role="cell"]');
          const copies = [...(place?.querySelectorAll('button') ?? [])].some((button) =>
            (button.ariaLabel ?? button.textContent).startsWith('Copy '));
          if (!copies) dead.push(value + ' in "' + node.data.trim().slice(0, 80) + '" of ' + parent.tagName + '.' + parent.className);
        }
      }
      return { seen: [...seen], dead };
    })()`,
  )) as { seen: unknown[]; dead: unknown[] };
  return { seen: found.seen.map(String), dead: found.dead.map(String) };
}
