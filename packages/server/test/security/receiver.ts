import { createServer } from 'node:http';

/** A server that takes whatever is delivered to it and keeps it. */
export interface Receiver {
  url: string;
  received: readonly { path: string; headers: string; body: string }[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: { path: string; headers: string; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      received.push({ path: request.url ?? '', headers: request.rawHeaders.join('\n'), body });
      if (request.url?.startsWith('/tracker/') === true) {
        response.end(
          /\/user\/repos|\/(?:hooks|labels|shop\/issues)\?/.test(request.url)
            ? '[]'
            : '{"login":"tickets","items":[]}',
        );
      } else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
