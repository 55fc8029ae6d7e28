import { DIGITS, NO_DIGIT } from './base64-digits.ts';
import { MapFault } from './map-fault.ts';

const SEMICOLON = 0x3b;

/**
 * Reads which mappings of a line are ranges, which map all that follows until the next one: `rangeMappings` of the
 * proposal to ECMA-426. A line lists their numbers as differences in Base64 VLQ without a sign, 5 bits in each digit.
 * It is read together with `mappings`, line by line.
 */
export class RangeReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** The next number of the line that is read; -1 where it has no more. */
  #next: number;

  /** @throws MapFault `bad_mappings`, as do the others */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#next = this.#read(0);
  }

  /** Returns true if the mapping with this number is a range. The numbers of a line must ascend. */
  isRange(number: number): boolean {
    if (number !== this.#next) return false;
    this.#next = this.#read(number);
    return true;
  }

  nextLine(): void {
    const end = this.#bytes.indexOf(SEMICOLON, this.#at);
    this.#at = end < 0 ? this.#bytes.length : end + 1;
    this.#next = this.#read(0);
  }

  #read(before: number): number {
    const bytes = this.#bytes;
    if (this.#at >= bytes.length || bytes[this.#at] === SEMICOLON) return -1;
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = DIGITS[bytes[this.#at] ?? 0] ?? NO_DIGIT;
      if (digit === NO_DIGIT || shift > 25) {
        throw new MapFault('bad_mappings', 'rangeMappings: a number in them cannot be read');
      }
      value += (digit & 31) * 2 ** shift;
      this.#at += 1;
      if ((digit & 32) === 0) return before + value;
    }
  }
}
