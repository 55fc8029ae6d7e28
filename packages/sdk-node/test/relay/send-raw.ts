import { request } from 'node:http';

interface RawCall {
  port: number;
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | null;
  /** Sends the body in chunks and without its length. */
  isChunked?: boolean;
}

export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** A request with any headers, as no browser would send it. Status 0: the connection ended without an answer. */
export function sendRaw({
  port,
  method,
  path,
  headers,
  body,
  isChunked = false,
}: RawCall): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const length = body === null || isChunked ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(flat), text });
        });
        response.on('error', () => resolve({ status: 0, headers: {}, text: '' }));
      },
    );
    // A refusal may come while the body is still being written.
    outgoing.on('error', () => setTimeout(() => resolve({ status: 0, headers: {}, text: '' }), 200));
    if (body !== null && isChunked) {
      const bytes = Buffer.from(body);
      for (let start = 0; start < bytes.length; start += 16_384)
        outgoing.write(bytes.subarray(start, start + 16_384));
      outgoing.end();
    } else outgoing.end(body ?? undefined);
  });
}
