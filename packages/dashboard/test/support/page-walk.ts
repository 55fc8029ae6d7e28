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
