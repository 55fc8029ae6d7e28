import {
  BACKSLASH,
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
  skipSpace,
} from './json-bytes.ts';
import { SLICE_BYTES, type Sliced, WORK_PER_BYTE } from './sliced.ts';

/** The place where bytes stop being JSON. */
interface JsonFault {
  offset: number;
  /** The token that would have been JSON here. */
  expected: string;
}

/** The tokens that can follow. */
type Expectation = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/**
 * Returns the first fault of JSON (RFC 8259) between two offsets of UTF-8 bytes, or null when they contain exactly one
 * value. Neither recursion nor a value is needed for it, so depth and number of values do not matter: one bit is kept
 * for each level that is open.
 */
export function* findJsonFault(
  bytes: Buffer,
  start: number,
  end: number,
  options: { allowsNonFinite: boolean } = { allowsNonFinite: false },
): Sliced<JsonFault | null> {
  const levels = createLevels();
  let expected: Expectation = 'value';
  let i = skipSpace(bytes, start);
  let stop = Math.min(end, i + SLICE_BYTES);
  yield (stop - i) * WORK_PER_BYTE;
  while (i < end) {
    if (i >= stop) {
      stop = Math.min(end, i + SLICE_BYTES);
      yield (stop - i) * WORK_PER_BYTE;
    }
    const byte = bytes[i] as number;
    let next: number;
    if (expected === 'colon') {
      if (byte !== COLON) break;
      expected = 'value';
      next = i + 1;
    } else if (expected === 'comma or end' && byte === COMMA && levels.depth() > 0) {
      expected = levels.isObject() ? 'key' : 'value';
      next = i + 1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      const mayEnd = expected === 'comma or end' || expected === 'key or end' || expected === 'value or end';
      if (!mayEnd || levels.depth() === 0 || levels.isObject() !== (byte === CLOSE_BRACE)) break;
      levels.close();
      expected = 'comma or end';
      next = i + 1;
    } else if (expected === 'comma or end') {
      break;
    } else if (expected === 'key' || expected === 'key or end') {
      if (byte !== QUOTE) break;
      next = textEnd(bytes, i + 1, end);
      if (next < 0) return { offset: ~next, expected: TEXT };
      expected = 'colon';
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      levels.open(byte === OPEN_BRACE);
      expected = byte === OPEN_BRACE ? 'key or end' : 'value or end';
      next = i + 1;
    } else if (byte === QUOTE) {
      next = textEnd(bytes, i + 1, end);
      if (next < 0) return { offset: ~next, expected: TEXT };
      expected = 'comma or end';
    } else {
      next = scalarEnd(bytes, i);
      if (!isScalar(bytes, i, next) && !(options.allowsNonFinite && isNonFinite(bytes, i, next))) break;
      expected = 'comma or end';
    }
    i = skipSpace(bytes, next);
  }
  if (i >= end && expected === 'comma or end' && levels.depth() === 0) return null;
  return { offset: Math.min(i, end), expected: wordsFor(expected, levels.depth()) };
}

const TEXT = 'text with its closing quote, without control characters, and with escapes of JSON';

function wordsFor(expected: Expectation, depth: number): string {
  if (expected === 'comma or end')
    return depth === 0 ? 'the end' : 'a comma or the end of the list or object';
  if (expected === 'value or end') return 'a value or the end of the list';
  if (expected === 'key or end') return 'a key in quotes or the end of the object';
  if (expected === 'key') return 'a key in quotes';
  return expected === 'colon' ? 'a colon' : 'a value';
}

/** The open objects and lists, one bit each. */
function createLevels() {
  let bits = new Uint8Array(64);
  let depth = 0;
  return {
    depth: () => depth,
    isObject: () => ((bits[(depth - 1) >> 3] ?? 0) & (1 << ((depth - 1) & 7))) !== 0,
    open(isObject: boolean): void {
      const at = depth >> 3;
      if (at === bits.length) {
        const wider = new Uint8Array(bits.length * 2);
        wider.set(bits);
        bits = wider;
      }
      const bit = 1 << (depth & 7);
      bits[at] = isObject ? (bits[at] ?? 0) | bit : (bits[at] ?? 0) & ~bit;
      depth += 1;
    },
    close(): void {
      depth -= 1;
    },
  };
}

/** Offset behind the closing quote, or the complement (`~`) of where the text goes wrong. */
function textEnd(bytes: Buffer, start: number, end: number): number {
  let i = start;
  while (i < end) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) return i + 1;
    if (byte < SPACE) return ~i;
    if (byte !== BACKSLASH) {
      i += 1;
      continue;
    }
    const escaped = i + 1 < end ? (bytes[i + 1] as number) : 0;
    if (escaped === LOWER_U) {
      for (let digit = i + 2; digit < i + 6; digit += 1) {
        if (digit >= end || !isHexDigit(bytes[digit] as number)) return ~i;
      }
      i += 6;
    } else if (SIMPLE_ESCAPES.includes(escaped)) {
      i += 2;
    } else {
      return ~i;
    }
  }
  return ~end;
}

const LOWER_U = 0x75;
const SIMPLE_ESCAPES = Buffer.from('"\\/bfnrt', 'latin1');

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word, 'latin1'));

/** Returns true if `true`, `false`, `null` or a number is between the offsets. */
function isScalar(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start];
  if (first !== MINUS && !isDigit(first)) {
    return WORDS.some(
      (word) => word.length === end - start && bytes.compare(word, 0, word.length, start, end) === 0,
    );
  }
  let i = first === MINUS ? start + 1 : start;
  if (i >= end || !isDigit(bytes[i])) return false;
  i = bytes[i] === ZERO ? i + 1 : digitsEnd(bytes, i, end);
  if (i < end && bytes[i] === DOT) {
    const fraction = i + 1;
    i = digitsEnd(bytes, fraction, end);
    if (i === fraction) return false;
  }
  if (i < end && ((bytes[i] as number) | 0x20) === LOWER_E) {
    i += 1;
    if (i < end && (bytes[i] === PLUS || bytes[i] === MINUS)) i += 1;
    const exponent = i;
    i = digitsEnd(bytes, exponent, end);
    if (i === exponent) return false;
  }
  return i === end;
}

const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const LOWER_E = 0x65;

function digitsEnd(bytes: Buffer, start: number, end: number): number {
  let i = start;
  while (i < end && isDigit(bytes[i])) i += 1;
  return i;
}
