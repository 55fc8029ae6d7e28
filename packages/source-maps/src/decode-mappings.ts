import { DIGITS, NO_DIGIT } from './base64-digits.ts';
import { MapFault } from './map-fault.ts';
import { RangeReader } from './range-mappings.ts';

/** Receives one mapping; -1 for a part that it does not name. */
export type SegmentSink = (
  line: number,
  column: number,
  source: number,
  originalLine: number,
  originalColumn: number,
  name: number,
  isRange: boolean,
) => void;

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const VALUE_MAX = 2_147_483_647;

/** The limit of segments of one line that are sorted together. */
const UNSORTED_MAX = 4_000_000;

/** The bounds of the indices in mappings. */
interface MappingBounds {
  sources: number;
  names: number;
  segmentsMax: number;
  /** `rangeMappings`; null where there are none. */
  ranges: Buffer | null;
}

/** The results of a first pass over mappings. */
export interface MappingFacts {
  segments: number;
  lines: number;
  unsortedLines: ReadonlySet<number>;
}

/**
 * Checks mappings and counts them.
 * @throws MapFault `bad_mappings`, `map_too_large`
 */
export function checkMappings(bytes: Buffer, bounds: MappingBounds): MappingFacts {
  const unsortedLines = new Set<number>();
  let segments = 0;
  let lineBefore = -1;
  let columnBefore = -1;
  const lines = walk(bytes, bounds, (line, column) => {
    segments += 1;
    if (segments > bounds.segmentsMax) {
      throw new MapFault('map_too_large', `more than ${bounds.segmentsMax} segments`);
    }
    if (line === lineBefore && column < columnBefore) unsortedLines.add(line);
    lineBefore = line;
    columnBefore = column;
  });
  return { segments, lines, unsortedLines };
}

/** Hands mappings over in the order of their places. @param facts of `checkMappings` */
export function decodeMappings(
  bytes: Buffer,
  bounds: MappingBounds,
  { unsortedLines }: MappingFacts,
  sink: SegmentSink,
): void {
  if (unsortedLines.size === 0) {
    walk(bytes, bounds, sink);
    return;
  }
  let held: Parameters<SegmentSink>[] = [];
  const flush = () => {
    // A sort that keeps equal ones in order: of two at one place the last one counts.
    for (const each of held.sort((a, b) => a[1] - b[1])) sink(...each);
    held = [];
  };
  walk(bytes, bounds, (...segment) => {
    if (held.length > 0 && held[0]?.[0] !== segment[0]) flush();
    if (!unsortedLines.has(segment[0])) {
      sink(...segment);
      return;
    }
    if (held.length >= UNSORTED_MAX)
      throw new MapFault('map_too_large', 'a line whose segments are in no order');
    held.push(segment);
  });
  flush();
}

/** @returns how many lines there are */
function walk(bytes: Buffer, bounds: MappingBounds, sink: SegmentSink): number {
  const fields = [0, 0, 0, 0, 0];
  let line = 0;
  let column = 0;
  let source = 0;
  let originalLine = 0;
  let originalColumn = 0;
  let name = 0;
  let count = 0;
  let index = 0;
  const ranges = bounds.ranges === null ? null : new RangeReader(bounds.ranges);
  let inLine = 0;
  const end = bytes.length;
  for (let at = 0; at <= end; ) {
    const byte = at < end ? bytes[at] : SEMICOLON;
    if (byte === COMMA || byte === SEMICOLON) {
      if (count > 0) {
        index += 1;
        column += fields[0] ?? 0;
        if (column < 0 || column > VALUE_MAX)
          throw fault(index, 'its generated column is negative or too large');
        const isRange = ranges?.isRange(inLine) === true;
        inLine += 1;
        if (count === 1) sink(line, column, -1, 0, 0, -1, false);
        else if (count === 4 || count === 5) {
          source += fields[1] ?? 0;
          originalLine += fields[2] ?? 0;
          originalColumn += fields[3] ?? 0;
          if (source < 0 || source >= bounds.sources)
            throw fault(index, `it names source ${source} of ${bounds.sources}`);
          if (originalLine < 0 || originalLine > VALUE_MAX)
            throw fault(index, `it names line ${originalLine}`);
          if (count === 5) {
            name += fields[4] ?? 0;
            if (name < 0 || name >= bounds.names)
              throw fault(index, `it names name ${name} of ${bounds.names}`);
          }
          const shownColumn = originalColumn < 0 ? 0 : Math.min(originalColumn, VALUE_MAX);
          sink(line, column, source, originalLine, shownColumn, count === 5 ? name : -1, isRange);
        } else throw fault(index, `it has ${count} fields`);
        count = 0;
      }
      if (byte === SEMICOLON) {
        line += 1;
        column = 0;
        inLine = 0;
        ranges?.nextLine();
      }
      at += 1;
      continue;
    }
    let value = 0;
    let shift = 0;
    let digit = 0;
    do {
      digit = at < end ? (DIGITS[bytes[at] ?? 0] ?? NO_DIGIT) : NO_DIGIT;
      if (digit === NO_DIGIT)
        throw fault(index + 1, 'it ends within a number, or holds a character of no digit');
      const part = digit & 31;
      if (shift > 30 || (shift === 30 && part > 3)) throw fault(index + 1, 'a number in it is too large');
      value += part * 2 ** shift;
      shift += 5;
      at += 1;
    } while ((digit & 32) !== 0);
    if (count === 5) throw fault(index + 1, 'it has more than 5 fields');
    const magnitude = Math.floor(value / 2);
    fields[count] = value % 2 === 1 ? -magnitude : magnitude;
    count += 1;
  }
  return line;
}

function fault(index: number, what: string): MapFault {
  return new MapFault('bad_mappings', `segment ${index}: ${what}`);
}
