/** A debug id in a request: a UUID; some build tools, such as Bun, write it without hyphens. */
export const DEBUG_ID_PATTERN =
  '^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$';
const CHARS_MAX = 36;
const DEBUG_ID = new RegExp(DEBUG_ID_PATTERN);

/** The debug id as a UUID in lower case; null for a text that is none. */
export function debugIdOf(text: string): string | null {
  if (text.length > CHARS_MAX || !DEBUG_ID.test(text)) return null;
  const hex = text.replaceAll('-', '').toLowerCase();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
