import { connect, type Socket } from 'node:net';

interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

interface RawOutcome {
  answers: RawAnswer[];
  /** Bytes after the last whole answer. */
  rest: string;
  isClosed: boolean;
}

/**
 * Sends bytes over one connection and collects what comes back until the server closes it, or until `until` answers
 * are there. Nothing of an HTTP client stands between.
 */
export function exchangeRaw(
  port: number,
  pieces: readonly (string | Buffer)[],
  options: { until?: number; timeoutMs?: number; methods?: readonly string[] } = {},
): Promise<RawOutcome> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1' });
    let received = Buffer.alloc(0);
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parseAnswers(received, options.methods ?? []), isClosed });
    };
    const timer = setTimeout(() => finish(false), options.timeoutMs ?? 5000);
    socket.on('error', () => {});
    socket.on('close', () => finish(true));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const { answers } = parseAnswers(received, options.methods ?? []);
      if (options.until !== undefined && answers.length >= options.until) finish(false);
    });
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        await new Promise<void>((done) => socket.write(piece, () => setImmediate(done)));
      }
    });
  });
}

/** However the network cuts a stream, it means the same. */
export function inPieces(bytes: string | Buffer, count: number): Buffer[] {
  const whole = Buffer.from(bytes);
  const size = Math.max(1, Math.ceil(whole.length / count));
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
    whole.subarray(index * size, (index + 1) * size),
  );
}

function parseAnswers(bytes: Buffer, methods: readonly string[]): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let text = bytes.toString('latin1');
  for (;;) {
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
    const match = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine);
    if (match === null) break;
    const headers = new Map(
      lines.map((line) => {
        const at = line.indexOf(':');
        return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
      }),
    );
    const status = Number(match[1]);
    const hasBody = methods[answers.length] !== 'HEAD' && status >= 200 && status !== 204 && status !== 304;
    const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0;
    if (text.length < end + 4 + length) break;
    if (status >= 200) answers.push({ status, headers, body: text.slice(end + 4, end + 4 + length) });
    text = text.slice(end + 4 + length);
  }
  return { answers, rest: text };
}
