import { request, type Server } from 'node:http';
import { Duplex } from 'node:stream';

/** A request of this process to its own server. */
interface InProcessRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
  /** The address of the client that caused the request: it counts in that client's shares. */
  clientAddress: string;
  timeoutMs: number;
}

interface InProcessAnswer {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/**
 * Asks the own server over a connection that leaves no process: everything that holds for a request from outside holds
 * for this one, from the parser to the log.
 * @throws when no answer comes
 */
export function requestInProcess(server: Server, asked: InProcessRequest): Promise<InProcessAnswer> {
  const { method, target, headers, body, clientAddress, timeoutMs } = asked;
  const [near, far] = connectedPair(clientAddress);
  server.emit('connection', far);
  return new Promise((resolve, reject) => {
    const sent = request({
      createConnection: () => near,
      method,
      path: target,
      headers: {
        ...headers,
        host: 'localhost',
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: { get: (name) => response.headers[name]?.toString() ?? null },
          text: async () => Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.end(body);
  });
}

/** Two streams of which each reads what is written to the other. */
function connectedPair(address: string): [near: ConnectionEnd, far: ConnectionEnd] {
  const [near, far] = [new ConnectionEnd(address), new ConnectionEnd(address)];
  near.other = far;
  far.other = near;
  return [near, far];
}

/** With what the server asks of a socket. */
class ConnectionEnd extends Duplex {
  readonly remoteAddress: string;
  /** None: the other end is in this process and has one. */
  readonly timeout = 0;
  other: ConnectionEnd | null = null;
  #whenRead: (() => void) | null = null;
  #hasEnd = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  setTimeout(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }

  override _read(): void {
    const whenRead = this.#whenRead;
    this.#whenRead = null;
    whenRead?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.other === null || this.other.#hasEnd || this.other.push(chunk)) done();
    else this.other.#whenRead = done;
  }

  override _final(done: () => void): void {
    this.other?.endReading();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#hasEnd = true;
    this._read();
    this.other?.endReading();
    done(error);
  }

  endReading(): void {
    if (this.#hasEnd) return;
    this.#hasEnd = true;
    this.push(null);
  }
}
