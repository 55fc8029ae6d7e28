/**
 * The sender of an event writes its texts. On a terminal they must not move the cursor, change colors, hide themselves
 * or reverse the order of the text around them (docs/contract/command-line.md 2.1).
 */

/** C0, DEL and C1; marks of direction, zero-width and other invisible characters; separators of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Text for one line: every character that a terminal would obey or not show is written as `\u{…}`. */
export function visibleLine(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** Returns text for several lines: like `visibleLine`, with newlines and tabs unchanged. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** JSON in which such characters are written as escapes, which every reader of JSON reads as the same text. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(INVISIBLE, (character) =>
    // Only the text between tokens stays unchanged; inside strings JSON has escaped it already.
    character === '\n' ? character : jsonEscaped(character),
  );
}

/** The line cut to a width, with `…` at its end. */
export function cutLine(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function jsonEscaped(character: string): string {
  let units = '';
  for (let index = 0; index < character.length; index += 1) {
    units += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return units;
}
