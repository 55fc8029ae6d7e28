/** Marks are lone low surrogates, of which well-formed text has none. */
const PROTECTED_FIRST = 0xdc00;
const VALUE_CODE = 0xdfe0;
const PROTECTED_MAX = VALUE_CODE - PROTECTED_FIRST;

/** The mark of a value that was found in the whole text, before it is cut into tokens. */
export const VALUE_MARK = String.fromCharCode(VALUE_CODE);

/** Text with marks in the place of unchanged parts, and of values that hold separators. */
export class MarkedText {
  readonly #kept: string[] = [];

  /** Returns the mark of text that stays; the text itself when the marks are used up. */
  keep(text: string): string {
    if (this.#kept.length >= PROTECTED_MAX) return text;
    this.#kept.push(text);
    return String.fromCharCode(PROTECTED_FIRST + this.#kept.length - 1);
  }

  /** Returns the text of a mark of `keep`. */
  kept(code: number): string {
    return this.#kept[code - PROTECTED_FIRST] ?? '';
  }
}

/** Returns true for the mark of a value, false for the mark of kept text. */
export function isValueMark(code: number): boolean {
  return code === VALUE_CODE;
}

/** True at a mark: a low surrogate without a high one before it. */
export function isMarkAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code < 0xdc00 || code > 0xdfff) return false;
  const before = index === 0 ? 0 : text.charCodeAt(index - 1);
  return before < 0xd800 || before > 0xdbff;
}
