import type { Page } from 'playwright-core';

/** Rows of tables whose cells are not as many as the headers, as the table's name and both numbers. */
export async function unevenRowsOn(page: Page): Promise<string[]> {
  const found: unknown = await page.evaluate(`(() => {
    const found = [];
    const span = (cell) => cell.colSpan ?? 1;
    const cellsOf = (row, selector) =>
      [...row.querySelectorAll(selector)].filter((cell) => getComputedStyle(cell).display !== 'none');
    const isShown = (row) => row.checkVisibility() && row.getBoundingClientRect().height > 1;
    for (const table of document.querySelectorAll('table, [role="table"]')) {
      const [head, ...rows] = table.querySelectorAll('tr, [role="row"]');
      if (head === undefined || !isShown(head)) continue;
      const headers = cellsOf(head, 'th, [role="columnheader"]').reduce((sum, cell) => sum + span(cell), 0);
      if (headers === 0) continue;
      const spanned = [];
      for (const row of rows.filter(isShown)) {
        const cells = cellsOf(row, 'td, th, [role="cell"], [role="rowheader"]');
        const own = cells.reduce((sum, cell) => sum + span(cell), 0);
        const above = spanned.reduce((sum, each) => sum + (each.left-- > 0 ? each.width : 0), 0);
        for (const cell of cells) if ((cell.rowSpan ?? 1) > 1) spanned.push({ width: span(cell), left: cell.rowSpan - 1 });
        if (own + above !== headers) found.push((table.ariaLabel ?? '?') + ': ' + (own + above) + ' cells, ' + headers + ' headers');
      }
    }
    return found;
  })()`);
  return Array.isArray(found) ? found.map(String) : ['no answer'];
}

/** Buttons and links of one name in the same part, row or entry that lead to different things. */
export async function doublesOn(page: Page): Promise<string[]> {
  const found: unknown = await page.evaluate(`(() => {
    const context = 'tr, [role="row"], li, [role="listitem"], section, [role="region"], fieldset, nav, form, figure, details, dialog, header, dl > div, [role="menu"]';
    const seen = new Map();
    const ids = new Map();
    const idOf = (part) => (ids.has(part) ? ids : ids.set(part, ids.size)).get(part);
    for (const control of document.querySelectorAll('button, a[href]')) {
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      const name = (control.getAttribute('aria-label') ?? control.textContent).trim();
      const key = control.tagName + ' ' + name + ' in ' + idOf(control.parentElement.closest(context));
      const target = control.getAttribute('href') ?? control;
      if (seen.has(key) && seen.get(key) !== target) seen.set(key, null);
      else seen.set(key, target);
    }
    return [...seen].filter(([, target]) => target === null).map(([key]) => key);
  })()`);
  return Array.isArray(found) ? found.map(String) : ['no answer'];
}

/** Texts that are painted over one another, as both texts; what floats above the page is left out. */
export async function overlapsOn(page: Page): Promise<string[]> {
  const found: unknown = await page.evaluate(`(() => {
    const texts = [];
    const walk = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
      const part = node.parentElement;
      if (node.textContent.trim() === '' || (part.tagName === 'DETAILS' && !part.open)) continue;
      if (!part.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const clips = [];
      let isFloating = false;
      for (let above = part; above !== document.body; above = above.parentElement) {
        const { position, overflowX, overflowY } = getComputedStyle(above);
        isFloating ||= position === 'fixed' || position === 'sticky';
        if (overflowX !== 'visible' || overflowY !== 'visible') clips.push(above.getBoundingClientRect());
      }
      if (isFloating) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const line of range.getClientRects()) {
        const left = Math.max(line.left, ...clips.map((clip) => clip.left));
        const top = Math.max(line.top, ...clips.map((clip) => clip.top));
        const right = Math.min(line.right, ...clips.map((clip) => clip.right));
        const bottom = Math.min(line.bottom, ...clips.map((clip) => clip.bottom));
        if (right - left > 2 && bottom - top > 2) texts.push({ text: node.textContent.trim(), part, left, top, right, bottom });
      }
    }
    return texts.flatMap((one, at) =>
      texts.slice(at + 1).flatMap((other) => {
        const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        return one.part !== other.part && across > 2 && down > 5 ? [one.text + ' over ' + other.text] : [];
      }),
    );
  })()`);
  return Array.isArray(found) ? found.map(String) : ['no answer'];
}
