import { MapFault } from './map-fault.ts';

/** A value in the bytes of a JSON text. */
export interface JsonSlice {
  start: number;
  end: number;
}

const NESTING_MAX = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Walks over JSON without making values of it, so that a map of a hundred megabytes never is one. What is skipped is
 * checked for its brackets and quotes alone; `JSON.parse` checks the parts that are read.
 */
export class JsonScanner {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The members of the object that begins at a place, in their order. */
  *members(start: number, depth = 1): Generator<{ name: string; value: JsonSlice }, number> {
    let at = this.#expect(this.#blanks(start), OPEN_OBJECT);
    at = this.#blanks(at);
    if (this.#bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      const nameEnd = this.#string(at);
      const name = this.parse({ start: at, end: nameEnd });
      at = this.#blanks(this.#expect(this.#blanks(nameEnd), COLON));
      const end = this.skip(at, depth + 1);
      yield { name: typeof name === 'string' ? name : '', value: { start: at, end } };
      at = this.#blanks(end);
      if (this.#bytes[at] === CLOSE_OBJECT) return at + 1;
      at = this.#blanks(this.#expect(at, COMMA));
    }
  }

  /** The elements of the list that is a slice. */
  *elements({ start }: JsonSlice, depth = 2): Generator<JsonSlice> {
    let at = this.#blanks(this.#expect(start, OPEN_LIST));
    if (this.#bytes[at] === CLOSE_LIST) return;
    for (;;) {
      const end = this.skip(at, depth + 1);
      yield { start: at, end };
      at = this.#blanks(end);
      if (this.#bytes[at] === CLOSE_LIST) return;
      at = this.#blanks(this.#expect(at, COMMA));
    }
  }

  isList({ start }: JsonSlice): boolean {
    return this.#bytes[start] === OPEN_LIST;
  }

  isObject({ start }: JsonSlice): boolean {
    return this.#bytes[start] === OPEN_OBJECT;
  }

  isNull({ start, end }: JsonSlice): boolean {
    return this.#bytes.toString('latin1', start, end) === 'null';
  }

  isString({ start }: JsonSlice): boolean {
    return this.#bytes[start] === QUOTE;
  }

  /** @throws MapFault `not_json` */
  parse({ start, end }: JsonSlice): unknown {
    try {
      return JSON.parse(this.#bytes.toString('utf8', start, end));
    } catch {
      throw this.#broken();
    }
  }

  /** The bytes of a text; those of a text with escapes are made anew. */
  textBytes(slice: JsonSlice): Buffer {
    const inside = this.#bytes.subarray(slice.start + 1, slice.end - 1);
    if (inside.indexOf(BACKSLASH) === -1) return inside;
    const text = this.parse(slice);
    return Buffer.from(typeof text === 'string' ? text : '');
  }

  /** Returns the end of the value that begins at a position. */
  skip(start: number, depth: number): number {
    const bytes = this.#bytes;
    const first = bytes[start];
    if (first === QUOTE) return this.#string(start);
    if (first !== OPEN_OBJECT && first !== OPEN_LIST) return this.#word(start);
    let open = 0;
    let at = start;
    while (at < bytes.length) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = this.#string(at);
        continue;
      }
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        open += 1;
        if (open + depth > NESTING_MAX) {
          throw new MapFault('bad_mappings', `it nests deeper than ${NESTING_MAX} levels`);
        }
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        open -= 1;
        if (open === 0) return at + 1;
      }
      at += 1;
    }
    throw this.#broken();
  }

  /** The end of the text that begins with a quotation mark at a place. */
  #string(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start] !== QUOTE) throw this.#broken();
    let at = start;
    for (;;) {
      at = bytes.indexOf(QUOTE, at + 1);
      if (at === -1) throw this.#broken();
      let before = at - 1;
      while (bytes[before] === BACKSLASH) before -= 1;
      if ((at - 1 - before) % 2 === 0) return at + 1;
    }
  }

  /** A number, or one of the words of JSON. */
  #word(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    while (at < bytes.length && isWordByte(bytes[at])) at += 1;
    if (at === start) throw this.#broken();
    return at;
  }

  #blanks(start: number): number {
    let at = start;
    while (isBlank(this.#bytes[at])) at += 1;
    return at;
  }

  #expect(at: number, byte: number): number {
    if (this.#bytes[at] !== byte) throw this.#broken();
    return at + 1;
  }

  #broken(): MapFault {
    return new MapFault('not_json', '');
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Returns true for the bytes of numbers, `true`, `false` and `null`. */
function isWordByte(byte: number | undefined): boolean {
  return (
    byte !== undefined &&
    ((byte >= 0x30 && byte <= 0x39) ||
      (byte >= 0x61 && byte <= 0x7a) ||
      byte === 0x2d ||
      byte === 0x2b ||
      byte === 0x2e ||
      byte === 0x45)
  );
}
