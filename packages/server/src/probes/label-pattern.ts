/**
 * Returns the fault in a pattern of labels, in ASCII words; null for a sound one (docs/contract/ingestion.md 6.1). A
 * bracket would look like a set of characters and be taken literally.
 */
export function labelPatternFault(pattern: string): string | null {
  if (pattern === '.*') return `nothing precedes ".*"; ${ALLOWED}`;
  return pattern.includes('[') ? `"[" is not a wildcard and cannot be part of a pattern; ${ALLOWED}` : null;
}

const ALLOWED = 'use a label in which "*" is any text and "?" one character';

/**
 * Returns true if published libraries read a pattern in the intended way: a name, `prefix.*` or `*`. They take others
 * literally.
 */
export function isPlainPattern(pattern: string): boolean {
  return pattern === '*' || !/[*?]/.test(pattern.endsWith('.*') ? pattern.slice(0, -2) : pattern);
}
