import type { Socket } from 'node:net';
import { OutboundFailure } from './outbound-failure.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads a connection in lines and lengths. Its errors are those of the socket. */
export class ResponseReader {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  /** The bytes that were received and not read yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket.iterator({ destroyOnReturn: false });
  }

  /** The next bytes, at most so many; null at the end. */
  async bytes(bytesMax: number): Promise<Buffer | null> {
    return (await this.#fill()) ? this.#take(bytesMax) : null;
  }

  /**
   * The next line without its end, which may be a bare line feed; also one that the end of the connection cuts. Null
   * at the end.
   * @throws OutboundFailure `invalid_response` when the line has more bytes
   */
  async line(bytesMax: number): Promise<{ text: Buffer; sizeBytes: number } | null> {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    let isEnded = false;
    while (!isEnded && (await this.#fill())) {
      const feed = this.#rest.indexOf(LINE_FEED);
      isEnded = feed !== -1;
      const piece = this.#take(isEnded ? feed + 1 : this.#rest.length);
      pieces.push(piece);
      sizeBytes += piece.length;
      if (sizeBytes > bytesMax) throw new OutboundFailure('invalid_response', 'too many bytes of headers');
    }
    return pieces.length === 0 ? null : { text: withoutLineEnd(Buffer.concat(pieces)), sizeBytes };
  }

  /** Ends the reading and leaves the connection, with what was not read of it, to its next user. */
  async release(): Promise<void> {
    await this.#chunks.return?.();
    if (this.#rest.length > 0) this.#socket.unshift(this.#rest);
  }

  /** Waits until there is something to read; false at the end. */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return false;
      this.#rest = value;
    }
    return true;
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}

function withoutLineEnd(line: Buffer): Buffer {
  let end = line.length;
  if (line[end - 1] === LINE_FEED) end -= 1;
  if (line[end - 1] === CARRIAGE_RETURN) end -= 1;
  return line.subarray(0, end);
}
