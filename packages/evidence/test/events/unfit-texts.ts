/**
 * Every piece of text in a value, keys included, that a database or a mail could not take, and every number that JSON
 * cannot write. At most ten, shortened.
 */
export function unfitTexts(value: unknown): string[] {
  const found: string[] = [];
  visit(value, found);
  return found.slice(0, 10).map((each) => JSON.stringify(each).slice(0, 80));
}

function visit(value: unknown, found: string[]): void {
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'))) found.push(value);
  else if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    found.push(String(value));
  else if (value === undefined) found.push('undefined');
  else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      visit(key, found);
      visit(each, found);
    }
  }
}
