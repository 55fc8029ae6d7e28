const NAME_CHARS_MAX = 1000;

/** A text of a map that every store takes: well formed, and without NUL. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The same of a name, which can be the key of an object, as long as its author likes and of several lines. */
export function storableName(name: string): string {
  return storableText(name.slice(0, NAME_CHARS_MAX).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' '));
}
