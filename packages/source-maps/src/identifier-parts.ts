/** Whether a character can stand in an identifier: ASCII letters, digits, `_`, `$`, and letters beyond ASCII. */
export function isIdentifierPart(character: string): boolean {
  return (
    /^[\w$]$/.test(character) ||
    (character > '\u007f' && /^[\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\ud800-\udfff]$/u.test(character))
  );
}

/** Whether a place lies inside a word: between two characters of one identifier. */
export function isInsideWord(before: string, at: string): boolean {
  return isIdentifierPart(before) && isIdentifierPart(at);
}
