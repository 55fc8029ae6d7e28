const LINE_END = /\r\n|[\n\r]/g;

/** Where the lines of a text begin, in UTF-16 units. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(LINE_END)) starts.push(index + end.length);
  return starts;
}

/** Original lines around a place. */
export interface SourceExcerpt {
  before: string[];
  text: string;
  after: string[];
}

const AROUND = 3;
/** Of longer lines a part around the column is shown. */
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
    Math.min(column - LINE_CHARS_MAX / 2, lineAt(text, starts, line).length - LINE_CHARS_MAX),
  );
  const shown = (index: number) => lineAt(text, starts, index).slice(from, from + LINE_CHARS_MAX);
  const numbers = (first: number, end: number) =>
    Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return {
    before: numbers(Math.max(0, line - AROUND), line).map(shown),
    text: shown(line),
    after: numbers(line + 1, Math.min(starts.length, line + 1 + AROUND)).map(shown),
  };
}

function lineAt(text: string, starts: readonly number[], line: number): string {
  return text.slice(starts[line], starts[line + 1] ?? text.length).replace(/(?:\r\n|[\n\r])$/, '');
}
