import type { Locator } from 'playwright-core';

/**
 * What people do who have no pointer (docs/contract/dashboard.md, checklist 33). Whatever cannot be reached with Tab, and
 * with arrows inside of menus, groups and tables, fails the story.
 */

const ROUNDS_MAX = 120;
/** From then on key by key: what lies between was counted wrongly. */
const COUNTED_ROUNDS = 4;

/** Presses a button, a link, a choice of a menu, a checkbox or a radio button. */
export async function press(target: Locator): Promise<void> {
  const key = await reach(target);
  if (key !== null) await target.page().keyboard.press(key);
}

/** Writes into a field, in place of what stood there. */
export async function type(target: Locator, text: string): Promise<void> {
  await reach(target);
  const { keyboard } = target.page();
  await keyboard.press('Control+a');
  if (text === '') await keyboard.press('Delete');
  else await keyboard.insertText(text);
}

/** Chooses in a list of the browser's own, whose keys are the browser's. */
export async function choose(target: Locator, option: Parameters<Locator['selectOption']>[0]): Promise<void> {
  await reach(target);
  await target.selectOption(option);
}

/** Moves the focus to it, and tells which key then does what it is for; null where getting there did it. */
async function reach(target: Locator): Promise<string | null> {
  await target.waitFor();
  const { keyboard } = target.page();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { key, times, action } = await target.evaluate(wayTo);
    if (key === null) return action;
    for (let pressed = 0; pressed < (round < COUNTED_ROUNDS ? times : 1); pressed += 1) {
      await keyboard.press(key);
    }
  }
  throw new Error(`no key leads to ${target}`);
}

/** Runs in the page: the next key on the way from the focus to an element, and how often it seems to be needed. */
function wayTo(element: Element): { key: string | null; times: number; action: string | null } {
  const control =
    element.closest('label')?.control ??
    element.closest<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]');
  if (control === null || control === undefined) throw new Error(`${element.outerHTML} is no control`);
  const focused = document.activeElement ?? document.body;
  const isRadio = control instanceof HTMLInputElement && control.type === 'radio';
  const isBox = control instanceof HTMLInputElement && control.type === 'checkbox';
  if (control === focused) {
    if (isRadio) return { key: null, times: 0, action: control.checked ? null : 'Space' };
    return { key: null, times: 0, action: isBox ? 'Space' : 'Enter' };
  }
  const isBefore = (a: Element, b: Element) =>
    (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const arrow = () => ({ key: isBefore(focused, control) ? 'ArrowDown' : 'ArrowUp', times: 1, action: null });

  let stop: Element = control;
  const menu = control.closest('[role="menu"]');
  if (menu?.contains(focused) === true) return arrow();
  const table = control.closest('[role="table"]');
  if (table !== null && control.tabIndex < 0) {
    if (focused.closest('[role="row"]') !== null && table.contains(focused)) return arrow();
    stop = table.querySelector('a[tabindex="0"], a:not([tabindex])') ?? control;
  }
  if (isRadio) {
    const group = [...document.querySelectorAll<HTMLInputElement>('input[type="radio"]')].filter(
      ({ name, form }) => name === control.name && form === control.form,
    );
    if (group.some((each) => each === focused)) return arrow();
    stop = group.find(({ checked }) => checked) ?? control;
  }
  const isForward = focused === document.body || isBefore(focused, stop);
  const stops = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    ),
  ].filter((each) => each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }));
  const between = stops.filter((each) =>
    isForward
      ? (focused === document.body || isBefore(focused, each)) && isBefore(each, stop)
      : isBefore(stop, each) && isBefore(each, focused),
  );
  return { key: isForward ? 'Tab' : 'Shift+Tab', times: between.length + 1, action: null };
}
