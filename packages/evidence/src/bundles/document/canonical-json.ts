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

function canonicalObject(value: object): string {
  const entries = new Map<string, unknown>(Object.entries(value));
  const members: string[] = [];
  // The default order of sort() is by code unit, unlike localeCompare.
  for (const key of [...entries.keys()].sort()) {
    const member = entries.get(key);
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
