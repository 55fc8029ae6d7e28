/**
 * A JSON document that is answered byte for byte: it was made and filtered when it was written, or is too long to be
 * held as a whole and comes in pieces, each made when the one before it was sent.
 */
export class RawJson {
  readonly content: Buffer | Iterable<Buffer>;

  constructor(content: Buffer | Iterable<Buffer>) {
    this.content = content;
  }
}
