import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isSignedBy } from './signature.ts';

/** A delivery as it came, byte by byte. */
export interface Delivery {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

const BODY_BYTES_MAX = 8 * 1_048_576;

/** A receiver on this machine that takes only what is signed. `onDelivery` gives the status to answer. */
export async function startReceiver(options: {
  port: number;
  path: string;
  /** Null until it is known: what comes before is to come again. */
  secret: () => string | null;
  onDelivery: (delivery: Delivery) => Promise<number>;
  onForged: () => void;
}): Promise<{ port: number; stop: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    void answer(request, options).then(
      (status) => end(response, status),
      () => end(response, 500),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  { path, secret, onDelivery, onForged }: Parameters<typeof startReceiver>[0],
): Promise<number> {
  if (request.method !== 'POST' || !(request.url ?? '').endsWith(path)) return 404;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) return 413;
    chunks.push(part);
  }
  const body = Buffer.concat(chunks);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers[name] = value;
  }
  const known = secret();
  if (known === null) return 503;
  if (!isSignedBy(body, known, headers['x-service-signature'] ?? '')) {
    onForged();
    return 401;
  }
  return await onDelivery({ body, headers });
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status);
  response.end();
}
