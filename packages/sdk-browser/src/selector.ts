const LEVELS = 4;
const MAX_LENGTH = 200;

/**
 * A short path to an element that says where it is and nothing of what it shows: docs/contract/clients.md 5.3. Ids and
 * classes that look generated are left out, because they differ from build to build or name a person's record.
 */
export function selectorOf(element: Element): string {
  const levels: string[] = [];
  for (let at: Element | null = element; at && levels.length < LEVELS; at = at.parentElement) {
    levels.unshift(describeLevel(at));
  }
  return levels.join(' > ').slice(0, MAX_LENGTH);
}

function describeLevel(element: Element): string {
  // Attributes, not properties: a form field named `id` hides the property of its form.
  const read = (name: string) => element.getAttribute(name) ?? '';
  const tag = String(element.localName);
  const id = read('id');
  if (/^[\w-]+$/.test(id) && !/\d{3}/.test(id)) return `${tag}#${id}`;
  const testId = read('data-testid');
  if (/^[\w.:-]+$/.test(testId)) return `${tag}[data-testid="${testId}"]`;
  const classes = read('class').split(/\s/);
  const kept = classes.filter((name) => /^[\w-]+$/.test(name) && !/\d\d/.test(name));
  return [tag, ...kept.slice(0, 2)].join('.');
}
