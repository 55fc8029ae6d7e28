/**
 * Returns true if a character can be part of an identifier: ASCII letters, digits, `_`, `$`, and letters beyond ASCII.
 */
export function isIdentifierPart(character: string): boolean {
  return (
    /^[\w$]$/.test(character) ||
    (character > '\u007f' && /^[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\ud800-\udfff]$/u.test(character))
  );
}

/** Returns true if a place is inside a word: between two characters of one identifier. */
export function isInsideWord(before: string, at: string): boolean {
  return isIdentifierPart(before) && isIdentifierPart(at);
}
