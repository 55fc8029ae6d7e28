import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isNonFinite,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  scalarEnd,
  stringEnd,
} from './json-bytes.ts';
import { SLICE_BYTES, type Sliced, WORK_PER_BYTE } from './sliced.ts';

const NULL = Buffer.from('null', 'latin1');

/**
 * Returns the text with `null` in place of each `NaN`, `Infinity` and `-Infinity` that is a value outside strings, as
 * Python's `json` writes them; or null when there is none. Everything else stays unchanged byte for byte, and may still
 * be no JSON.
 */
export function* nullNonFinite(bytes: Buffer): Sliced<Buffer | null> {
  const found = yield* findNonFinite(bytes);
  if (found.length === 0) return null;
  let sizeBytes = bytes.length;
  for (let at = 0; at < found.length; at += 2) {
    sizeBytes += NULL.length - ((found[at + 1] ?? 0) - (found[at] ?? 0));
  }
  const repaired = Buffer.allocUnsafe(sizeBytes);
  let from = 0;
  let to = 0;
  let stop = 0;
  for (let at = 0; at < found.length; at += 2) {
    if (from >= stop) {
      stop = from + SLICE_BYTES;
      yield SLICE_BYTES * WORK_PER_BYTE;
    }
    const start = found[at] ?? 0;
    to += bytes.copy(repaired, to, from, start);
    to += NULL.copy(repaired, to);
    from = found[at + 1] ?? 0;
  }
  bytes.copy(repaired, to, from);
  return repaired;
}

/** Start and end of each, one after the other. */
function* findNonFinite(bytes: Buffer): Sliced<number[]> {
  const found: number[] = [];
  let stop = 0;
  for (let i = 0; i < bytes.length; ) {
    if (i >= stop) {
      stop = Math.min(bytes.length, i + SLICE_BYTES);
      yield (stop - i) * WORK_PER_BYTE;
    }
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      i = stringEnd(bytes, i + 1);
      if (i < 0) break;
    } else if (byte <= SPACE || STRUCTURE.has(byte)) {
      i += 1;
    } else {
      const end = scalarEnd(bytes, i);
      if (isNonFinite(bytes, i, end)) found.push(i, end);
      i = end;
    }
  }
  return found;
}

const STRUCTURE: ReadonlySet<number> = new Set([
  COMMA,
  COLON,
  OPEN_BRACKET,
  CLOSE_BRACKET,
  OPEN_BRACE,
  CLOSE_BRACE,
]);
