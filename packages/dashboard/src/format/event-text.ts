/**
 * Text that failing applications sent. Characters that cannot be seen or that change the direction of what follows are
 * shown as marks, so that no name can pass for another one (docs/contract/dashboard.md 7).
 */
const UNSEEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Cs}/gu;
const LENGTH_MAX = 20_000;

/** One line: line breaks and tabs are marks too. */
export function visibleLine(text: string): string {
  return cut(text).replaceAll(UNSEEN, (character) => (character === '\t' ? ' ' : mark(character)));
}

/** A block of text, which keeps its line breaks and tabs. */
export function visibleText(text: string): string {
  return cut(text)
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) =>
      character === '\n' || character === '\t' ? character : mark(character),
    );
}

/** The folder and the file of a path; what is before them is the same in most frames of an application. */
export function shortPath(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/');
}

function cut(text: string): string {
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)} … (${text.length} characters)`;
}

function mark(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}
