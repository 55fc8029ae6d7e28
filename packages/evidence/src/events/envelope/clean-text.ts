/** The mark at the end of text that was cut, and in place of values that no longer fitted. */
export const TRUNCATED_MARK = '[Truncated]';

/**
 * Text fit to be stored anywhere: well formed, without NUL, at most `maxChars` UTF-16 units. Longer text is cut, the
 * mark at its end included (docs/contract/ingestion.md 1.5).
 */
export function cleanText(text: string, maxChars: number): string {
  const cut = text.length > maxChars ? cutText(text, maxChars) : text;
  const whole = cut.isWellFormed() ? cut : cut.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole;
}

function cutText(text: string, maxChars: number): string {
  let end = maxChars - TRUNCATED_MARK.length;
  if (end <= 0) return TRUNCATED_MARK.slice(0, maxChars);
  // A cut between the halves of a pair would leave half a character.
  if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end) + TRUNCATED_MARK;
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
