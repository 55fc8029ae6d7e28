import { connect, type Socket } from 'node:net';

/** An answer as far as the load generator looks at it. */
interface HttpAnswer {
  status: number;
  body: string;
}

/** One keep-alive connection with one request under way at a time. */
export interface HttpConnection {
  /** Sends the bytes of one whole request and waits for its answer. Rejects when the connection breaks. */
  exchange(request: Buffer): Promise<HttpAnswer>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 5000;
const ANSWER_TIMEOUT_MS = 60_000;
const HEAD_END = '\r\n\r\n';
const STATUS_OFFSET = 'HTTP/1.1 '.length;

/**
 * Opens a connection on a bare socket. Node's own client costs several times as much per request, which on a machine
 * with two cores would be taken from the server that is measured.
 */
export async function openConnection(host: string, port: number): Promise<HttpConnection> {
  const socket = await openSocket(host, port);
  let waiting: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | null = null;
  let received: Buffer | null = null;

  function fail(error: Error): void {
    const { reject } = waiting ?? {};
    waiting = null;
    socket.destroy();
    reject?.(error);
  }
  socket.on('data', (chunk: Buffer) => {
    received = received === null ? chunk : Buffer.concat([received, chunk]);
    try {
      const answer = readAnswer(received);
      if (answer === null) return;
      received = null;
      const { resolve } = waiting ?? {};
      waiting = null;
      resolve?.(answer);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  socket.on('timeout', () => fail(new Error('no answer in time')));

  return {
    exchange(request) {
      return new Promise((resolve, reject) => {
        if (waiting !== null || socket.destroyed) {
          reject(new Error(socket.destroyed ? 'the connection is closed' : 'a request is under way'));
          return;
        }
        waiting = { resolve, reject };
        socket.write(request);
      });
    },
    close: () => socket.destroy(),
  };
}

/** The bytes of a request without a body. */
export function getRequest(target: { host: string; port: number; token: string }, path: string): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\nauthorization: Bearer ${target.token}\r\n\r\n`,
    'latin1',
  );
}

function openSocket(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, timeout: CONNECT_TIMEOUT_MS });
    socket.once('error', reject);
    socket.once('timeout', () => reject(new Error('could not connect in time')));
    socket.once('connect', () => {
      socket.removeAllListeners();
      socket.setTimeout(ANSWER_TIMEOUT_MS);
      resolve(socket);
    });
  });
}

/** The answer once it is there in full; both servers say how long it is. */
function readAnswer(bytes: Buffer): HttpAnswer | null {
  const headEnd = bytes.indexOf(HEAD_END, 0, 'latin1');
  if (headEnd === -1) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(STATUS_OFFSET, STATUS_OFFSET + 3));
  const lengthText = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (lengthText === undefined) throw new Error(`an answer with status ${status} does not tell its length`);
  const bodyStart = headEnd + HEAD_END.length;
  const end = bodyStart + Number(lengthText);
  if (bytes.length < end) return null;
  if (bytes.length > end) throw new Error('more bytes than the answer that was asked for');
  return { status, body: bytes.toString('utf8', bodyStart, end) };
}
