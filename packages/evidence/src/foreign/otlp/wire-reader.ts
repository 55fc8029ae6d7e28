import { cleanText } from '../../events/envelope/clean-text.ts';
import { UnreadableBody } from './unreadable-body.ts';

/** The tags of fields by their wire type, in the form in which they precede a value. */
export const varintField = (field: number): number => field * 8;
export const fixed64Field = (field: number): number => field * 8 + FIXED64;
export const bytesField = (field: number): number => field * 8 + BYTES;

const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** One unit of UTF-16 takes at most three bytes of UTF-8. */
const BYTES_PER_UNIT_MAX = 3;
const TAG_MAX = 0xffff_ffff;
const VARINT_BYTES_MAX = 10;

/**
 * Reads one message of protobuf where it lies, field by field. No byte outside of the message is ever addressed, and
 * nothing is allocated for a field that is skipped. A known field of another wire type has another tag, so it is
 * skipped like an unknown one. Throws `UnreadableBody` for bytes that are no message; groups, which are older than the
 * protocol, are none.
 */
export class WireReader {
  /** The tag of the field whose value is read next. */
  tag = 0;
  at: number;
  readonly end: number;
  readonly #bytes: Buffer;
  /** The two halves of the last varint. */
  #low = 0;
  #high = 0;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.at = start;
    this.end = end;
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    if (this.at >= this.end) return false;
    this.#varint();
    if (this.#high !== 0 || this.#low > TAG_MAX || this.#low < 8) throw invalid('a field without a number');
    this.tag = this.#low;
    return true;
  }

  skip(): void {
    switch (this.tag % 8) {
      case 0:
        this.#varint();
        return;
      case FIXED64:
        this.#take(8);
        return;
      case BYTES:
        this.#take(this.#length());
        return;
      case FIXED32:
        this.#take(4);
        return;
      default:
        throw invalid('a group, or an unknown wire type');
    }
  }

  /** The message of a field. */
  message(): WireReader {
    const length = this.#length();
    const start = this.#take(length);
    return new WireReader(this.#bytes, start, start + length);
  }

  /** The same message from its first field. */
  again(): WireReader {
    return new WireReader(this.#bytes, this.at, this.end);
  }

  /** Text of at most so many units; a byte that is no UTF-8 is U+FFFD. */
  text(charsMax: number): string {
    const length = this.#length();
    const start = this.#take(length);
    const kept = Math.min(length, (charsMax + 1) * BYTES_PER_UNIT_MAX);
    const text = this.#bytes.toString('utf8', start, start + kept);
    return text.length > charsMax ? cleanText(text, charsMax) : text;
  }

  /** Returns true if the text of a field is this ASCII text. */
  isText(expected: string): boolean {
    const length = this.#length();
    const start = this.#take(length);
    return length === expected.length && this.#bytes.toString('latin1', start, this.at) === expected;
  }

  /** Bytes in base64, cut. */
  base64(charsMax: number): string {
    const length = this.#length();
    const start = this.#take(length);
    const text = this.#bytes.toString('base64', start, start + Math.min(length, charsMax));
    return cleanText(text, charsMax);
  }

  /** Hexadecimal digits of an id of at most so many bytes; empty for one of zeros or of another length. */
  id(bytesMax: number): string {
    const length = this.#length();
    const start = this.#take(length);
    if (length > bytesMax) return '';
    const id = this.#bytes.toString('hex', start, start + length);
    return /^0*$/.test(id) ? '' : id;
  }

  /** An enumeration or another small number; a large one is zero. */
  small(): number {
    this.#varint();
    return this.#high === 0 ? this.#low : 0;
  }

  isTrue(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  /** A number where it is exact, else its digits. */
  int64(): number | string {
    this.#varint();
    if (this.#high < 0x20_0000) return this.#high * 0x1_0000_0000 + this.#low;
    const value = BigInt.asIntN(64, (BigInt(this.#high) << 32n) | BigInt(this.#low));
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }

  fixed64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8));
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  /** The offset of so many bytes, which are then behind. */
  #take(length: number): number {
    const start = this.at;
    if (length > this.end - start) throw invalid('a value that is longer than its message');
    this.at = start + length;
    return start;
  }

  #length(): number {
    this.#varint();
    return this.#high === 0 ? this.#low : Number.POSITIVE_INFINITY;
  }

  #varint(): void {
    let low = 0;
    let high = 0;
    for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
      if (this.at >= this.end) break;
      const byte = this.#bytes[this.at] as number;
      this.at += 1;
      const bits = byte & 0x7f;
      if (index < 4) low |= bits << (index * 7);
      else if (index === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= index < 9 ? bits << (index * 7 - 32) : (bits & 1) << 31;
      if (byte < 0x80) {
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw invalid('a number without an end');
  }
}

function invalid(what: string): UnreadableBody {
  return new UnreadableBody('invalid_payload', `The body is not a protobuf message: ${what}.`);
}
