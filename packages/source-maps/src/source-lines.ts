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

const AROUND = 3;
/** The limit of shown characters; for longer lines, a part around the column is shown. */
const LINE_CHARS_MAX = 200;

/** The lines around a place that counts from 0; null behind the end of the text. */
export function excerptAt(
  text: string,
  starts: readonly number[],
  line: number,
  column: number,
): SourceExcerpt | null {
  if (line >= starts.length) return null;
  const from = Math.max(
    0,
    Math.min(column - LINE_CHARS_MAX / 2, lineText(text, starts, line).length - LINE_CHARS_MAX),
  );
  const shown = (index: number) => lineText(text, starts, index).slice(from, from + LINE_CHARS_MAX);
  const numbers = (first: number, end: number) =>
    Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return {
    before: numbers(Math.max(0, line - AROUND), line).map(shown),
    text: shown(line),
    after: numbers(line + 1, Math.min(starts.length, line + 1 + AROUND)).map(shown),
  };
}

function lineText(text: string, starts: readonly number[], line: number): string {
  return text
    .slice(starts[line], starts[line + 1] ?? text.length)
    .replace(/(?:\r\n|[\n\r\u2028\u2029])$/, '');
}
