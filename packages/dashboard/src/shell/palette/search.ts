/** Search parameters as plain text: nothing in an address is quoted, and nothing in it is code. */

type Search = Record<string, string>;

export function parseSearch(text: string): Search {
  const found: Search = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (!Object.hasOwn(found, name)) found[name] = value;
  }
  return found;
}

export function writeSearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
