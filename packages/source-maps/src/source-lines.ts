import { REDACTED } from '@culprit/contract/events/secret-keys';
import { storableText } from './storable-text.ts';

/** Ends of lines: those of ECMA-262, which engines count, or line feeds alone, which many tools count. */
export type LineEnds = 'all' | 'feeds';

const LINE_END: Readonly<Record<LineEnds, RegExp>> = { all: /\r\n|[\n\r\u2028\u2029]/g, feeds: /\n/g };

/** Returns the starts of the lines of a text, in UTF-16 units. */
export function lineStarts(text: string, ends: LineEnds = 'all'): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(LINE_END[ends])) starts.push(index + end.length);
  return starts;
}

/** Returns true if the lines of a text depend on the set of line ends. */
export function hasRareLineEnds(text: string): boolean {
  return /[\u2028\u2029]|\r(?!\n)/.test(text);
}

/** The line, from 0, in which a position of a text is. */
export function lineAt(starts: ArrayLike<number>, position: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return Math.max(0, low - 1);
}

/** Original lines around a place. */
export interface SourceExcerpt {
  before: string[];
  text: string;
  after: string[];
}

/** Replaces what looks like a secret in a text by a mark. */
export type Hide = (text: string) => string;

const AROUND = 3;
/** The limit of shown characters; for longer lines, a part around the column is shown. */
const LINE_CHARS_MAX = 200;
/** The mark at the ends of such a part. */
const CUT = '…';
/** Characters of a line before and after its shown part: a secret at a cut must be whole to be hidden. */
const SEARCHED_CHARS = 1024;
/** Characters before the shown lines and after them in which a secret of several lines may begin and end. */
const SEARCHED_AROUND_CHARS = 8192;

/** The lines around a place that counts from 0, without secrets; null behind the end of the text. */
export function excerptAt(
  text: string,
  starts: readonly number[],
  { line, column }: { line: number; column: number },
  hide: Hide,
): SourceExcerpt | null {
  if (line >= starts.length) return null;
  const first = Math.max(0, line - AROUND);
  const end = Math.min(starts.length, line + 1 + AROUND);
  const lines = Array.from({ length: end - first }, (_, index) => lineText(text, starts, first + index));
  const length = lines[line - first]?.length ?? 0;
  const from = Math.max(0, Math.min(column - LINE_CHARS_MAX / 2, length - LINE_CHARS_MAX));
  const shown = withoutSecrets(lines, from, openSecret(text, starts[first] ?? 0, hide), hide);
  return {
    before: shown.slice(0, line - first),
    text: shown[line - first] ?? '',
    after: shown.slice(line - first + 1),
  };
}

/** Cuts lines to the same columns, as far as nothing in them is hidden. */
function withoutSecrets(lines: readonly string[], from: number, open: string, hide: Hide): string[] {
  const searchedFrom = Math.max(0, from - SEARCHED_CHARS);
  const parts = lines.map((each) => each.slice(searchedFrom, from + LINE_CHARS_MAX + SEARCHED_CHARS));
  const isCut = (index: number) => (lines[index]?.length ?? 0) > from + LINE_CHARS_MAX;
  const whole = parts.join('\n');
  if (open === '' && hide(whole) === whole) {
    return parts.map((part, index) => cutPart(part, from - searchedFrom, from > 0, isCut(index)));
  }
  let before = hide(open);
  return parts.map((part, index) => {
    const hidden = hide(open + parts.slice(0, index + 1).join('\n'));
    // A line that begins inside of a secret adds none.
    const isOpen = lineCount(hidden) === lineCount(before) && (index > 0 || open !== '');
    before = hidden;
    const last = isOpen ? hidden.slice(hidden.lastIndexOf(REDACTED)) : (hidden.split('\n').at(-1) ?? '');
    if (last === part) return cutPart(part, from - searchedFrom, from > 0, isCut(index));
    const start = Math.min(
      hide(part.slice(0, from - searchedFrom)).length,
      Math.max(0, last.length - LINE_CHARS_MAX),
    );
    return cutPart(last, start, from > 0, isCut(index));
  });
}

/** A part of a line, with the mark at each end where more of the line is. */
function cutPart(text: string, from: number, isCutBefore: boolean, isCutAfter: boolean): string {
  const part = text.slice(from, from + LINE_CHARS_MAX);
  const hasMore = isCutAfter || text.length > from + LINE_CHARS_MAX;
  const head = isCutBefore && part !== '' ? CUT + part.slice(1) : part;
  return storableText(hasMore ? head.slice(0, LINE_CHARS_MAX - 1) + CUT : head);
}

/** The text before a place from where a secret is open that ends after it, such as a key of several lines; or ''. */
function openSecret(text: string, place: number, hide: Hide): string {
  const before = text.slice(Math.max(0, place - SEARCHED_AROUND_CHARS), place);
  if (hide(before) === before || isAtEnd(before, hide)) return '';
  // One that never ends is no secret, but a text that looks like the beginning of one.
  return isAtEnd(before + text.slice(place, place + SEARCHED_AROUND_CHARS), hide) ? before : '';
}

/** Returns true if nothing is hidden at the end of a text. */
function isAtEnd(text: string, hide: Hide): boolean {
  return hide(`${text}\n#`).endsWith('\n#');
}

function lineCount(text: string): number {
  return text.split('\n').length;
}

function lineText(text: string, starts: readonly number[], line: number): string {
  return text
    .slice(starts[line], starts[line + 1] ?? text.length)
    .replace(/(?:\r\n|[\n\r\u2028\u2029])$/, '');
}
