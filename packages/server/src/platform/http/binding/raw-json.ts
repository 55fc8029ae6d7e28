/** The bytes of a document: whole, in pieces, or in pieces that are waited for. */
type RawContent = Buffer | Iterable<Buffer> | AsyncIterable<Buffer>;

/**
 * A JSON document that is answered byte for byte: it was made and filtered when it was written, or is too long to be
 * held as a whole and comes in pieces, each made when the one before it was sent.
 */
export class RawJson<Content extends RawContent = RawContent> {
  readonly content: Content;
  /** Memory that content in pieces keeps until it is sent as a whole; nothing worth counting unless said. */
  readonly keptBytes: number;

  constructor(content: Content, keptBytes = 0) {
    this.content = content;
    this.keptBytes = keptBytes;
  }
}
