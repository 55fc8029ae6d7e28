/** Whole numbers in few bytes: differences, zigzag, seven bits a byte. */
export class VarintWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(sizeHint: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(64, sizeHint));
  }

  /** A whole number between -2^31 and 2^32. */
  add(value: number): void {
    if (this.#length + 6 > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    let rest = value < 0 ? -value * 2 - 1 : value * 2;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

export class VarintReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** @throws RangeError behind the end */
  next(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('numbers end too early');
      value += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
    }
    return value % 2 === 1 ? -((value + 1) / 2) : value / 2;
  }
}
