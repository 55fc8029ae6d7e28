import type { FormSource } from './form.ts';
import {
  blockOf,
  isRange,
  type OpenForm,
  openForm,
  type ReadBytes,
  readBlock,
  readFrame,
  readFunctionMap,
  readName,
  readText,
  rowOf,
  type SegmentBlock,
  unitsOf,
} from './form-reader.ts';
import { functionOf } from './function-map.ts';
import { isInsideWord } from './identifier-parts.ts';
import { excerptAt, type Hide, lineAt, lineStarts, type SourceExcerpt } from './source-lines.ts';

/** The original of a place; lines and columns count from 0. */
interface FoundPlace {
  kind: 'mapped';
  source: number;
  file: string;
  own: boolean;
  line: number;
  column: number;
  /** The name in `names`. */
  name: string | null;
  /** The text of the source; null where the map has none. */
  text: string | null;
  /** The offset of the place in the text; null if there is no text, or the place is after its end. */
  offset: number | null;
  /** The original lines around it, without what is hidden; null where there is no text. */
  lines(hide: Hide): SourceExcerpt | null;
  /** The function around it, of a function map; null where the map has none. */
  mappedFunction: string | null;
}

export type LookUp = FoundPlace | UnknownPlace;

interface UnknownPlace {
  kind: 'no_mapping' | 'lines_only' | 'position_outside_file' | 'file_differs';
}

/** The cache of the parts of forms that were read. */
export interface FormParts {
  open(): Promise<OpenForm>;
  block(index: number): ReturnType<typeof readBlock>;
  text(source: number): Promise<{ text: string; starts: readonly number[] } | null>;
  frame(index: number): Promise<Buffer>;
  read: ReadBytes;
}

/** Reads every part anew. */
export function partsOf(read: ReadBytes, sizeBytes: number): FormParts {
  let opened: Promise<OpenForm> | null = null;
  const open = () => {
    opened ??= openForm(read, sizeBytes);
    return opened;
  };
  return {
    open,
    read,
    block: async (index) => await readBlock(read, (await open()).head, index),
    frame: async (index) => await readFrame(read, (await open()).head, index),
    async text(index) {
      const source = (await open()).head.sources[index];
      return source === undefined ? null : await readSource(read, source);
    },
  };
}

/** The text of a source with its lines as the map counts them; null where the map has none. */
export async function readSource(
  read: ReadBytes,
  { text: part, lineEnds }: FormSource,
): Promise<{ text: string; starts: readonly number[] } | null> {
  if (part === null) return null;
  const text = await readText(read, part);
  return { text, starts: lineStarts(text, lineEnds) };
}

/** Looks a place up, from 0 (docs/contract/source-maps.md 4.2 and 5.3). @throws DamagedFormError */
export async function lookUpPlace(
  read: ReadBytes,
  sizeBytes: number,
  line: number,
  column: number,
): Promise<LookUp> {
  return await lookUpIn(partsOf(read, sizeBytes), line, column);
}

/** A place in a text; one behind the end of its line is that end, since not every compiler counts columns alike. */
function offsetOf(
  { text, starts }: { text: string; starts: readonly number[] },
  line: number,
  column: number,
): number | null {
  const start = starts[line];
  if (start === undefined || text.trim() === '') return null;
  return Math.min(start + column, starts[line + 1] ?? text.length);
}

export async function lookUpIn(parts: FormParts, line: number, column: number): Promise<LookUp> {
  const { head, starts, mapStarts } = await parts.open();
  const start = starts[line];
  const end = starts[line + 1] ?? head.generated.units;
  if (start === undefined || start + column > end) return { kind: 'position_outside_file' };
  if (column > 0 && isInsideWord(...(await unitsOf(parts.frame, head, start + column)))) {
    return { kind: 'file_differs' };
  }
  const mapLine = mapStarts === null ? line : lineAt(mapStarts, start + column);
  const mapColumn = mapStarts === null ? column : start + column - (mapStarts[mapLine] ?? 0);
  const index = blockOf(head, mapLine, mapColumn);
  if (index < 0) return { kind: 'no_mapping' };
  const block = await parts.block(index);
  const row = rowOf(block, mapLine, mapColumn);
  const source = row < 0 ? -1 : (block.sources[row] ?? -1);
  const known = head.sources[source];
  if (known === undefined || known.file === '') return { kind: 'no_mapping' };
  const isLineOnly = knowsLineOnly(block, row, mapLine);
  if (isLineOnly && end - start > LINE_UNITS_MAX) return { kind: 'lines_only' };
  const original = originalPlace(block, row, mapLine, mapColumn);
  const { line: originalLine, column: originalColumn } = original;
  const name = original.isStart ? (block.names[row] ?? -1) : -1;
  const functions = await readFunctionMap(parts.read, known);
  const content = await parts.text(source);
  if (isLineOnly && content !== null && isBehind(content, originalLine, column)) {
    return { kind: 'lines_only' };
  }
  const offset = content === null ? null : offsetOf(content, originalLine, originalColumn);
  return {
    kind: 'mapped',
    source,
    file: known.file,
    own: known.own,
    line: originalLine,
    column: originalColumn,
    name: name < 0 ? null : await readName(parts.read, head, name),
    text: content?.text ?? null,
    offset,
    lines: (hide) => (content === null ? null : excerptAt(content.text, content.starts, original, hide)),
    mappedFunction: functions === null ? null : functionOf(functions, originalLine, originalColumn),
  };
}

/** Longer lines of a generated file come from a minifier, which joins many lines of the original. */
const LINE_UNITS_MAX = 500;

/** The length that a compiler may add to a line without joining others to it. */
const ADDED_UNITS = 80;

/** Returns true if a column of the generated file is so far behind the end of the original line that it is of another. */
function isBehind(
  { text, starts }: { text: string; starts: readonly number[] },
  line: number,
  column: number,
): boolean {
  const start = starts[line];
  if (start === undefined) return false;
  return column > 2 * ((starts[line + 1] ?? text.length) - start) + ADDED_UNITS;
}

/** Returns true if a line has one segment, at its start, as all lines around it have: the map has no columns. */
function knowsLineOnly({ lines, columns, ranges }: SegmentBlock, row: number, mapLine: number): boolean {
  if (isRange(ranges, row) || lines[row] !== mapLine || lines[row + 1] === mapLine) return false;
  return columns.every((column) => column === 0);
}

/**
 * Returns the place in the original: that of the segment or, if it is a range, as far after it as in the generated
 * file.
 */
function originalPlace(
  { lines, columns, originalLines, originalColumns, ranges }: SegmentBlock,
  row: number,
  mapLine: number,
  mapColumn: number,
): { line: number; column: number; isStart: boolean } {
  const line = originalLines[row] ?? 0;
  const column = originalColumns[row] ?? 0;
  if (!isRange(ranges, row)) return { line, column, isStart: true };
  const downLines = mapLine - (lines[row] ?? 0);
  if (downLines > 0) return { line: line + downLines, column: mapColumn, isStart: false };
  const behind = mapColumn - (columns[row] ?? 0);
  return { line, column: column + behind, isStart: behind === 0 };
}
