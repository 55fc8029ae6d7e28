/**
 * Returns one word for a POSIX shell that evaluates to exactly this text (docs/contract/incidents.md 4.3). Nothing is
 * special inside single quotes but the quote itself, so `$`, back quotes and line ends need no further care.
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Control characters of ASCII and Latin-1: line ends that would start a new header, or terminal commands. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Returns true if a text contains a control character, tabulator and line ends included. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}
