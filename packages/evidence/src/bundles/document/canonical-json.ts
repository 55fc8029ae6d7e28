/**
 * The one text form of a JSON value (docs/contract/incidents.md 3.10): object keys sorted by UTF-16 code unit, no
 * whitespace, numbers in their shortest form, strings escaped as `JSON.stringify` does. Properties that are undefined
 * are left out; numbers that JSON cannot write become null, as in `JSON.stringify`. Depth is bounded by the callers'
 * input.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value);
  return JSON.stringify(value) ?? 'null';
}

/** The members of an object in canonical order, each with the text that it has in the text of the object. */
export function canonicalMembers(value: object): { key: string; text: string }[] {
  return sortedEntries(value).map(([key, member]) => ({ key, text: memberText(key, member) }));
}

function canonicalObject(value: object): string {
  let text = '';
  for (const [key, member] of sortedEntries(value)) {
    text += text === '' ? memberText(key, member) : `,${memberText(key, member)}`;
  }
  return `{${text}}`;
}

function memberText(key: string, member: unknown): string {
  return `${JSON.stringify(key)}:${canonicalJson(member)}`;
}

/** Those that have a value. */
function sortedEntries(value: object): [string, unknown][] {
  const entries: [string, unknown][] = Object.entries(value).filter(([, member]) => member !== undefined);
  // By code unit, unlike localeCompare; no two keys are equal.
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
