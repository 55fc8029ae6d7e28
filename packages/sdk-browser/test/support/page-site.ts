import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageSite {
  origin: string;
  /** What was asked of it, in order. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** Serves a file at a path until the end of the test. */
  serve(path: string, type: string, body: string, headers?: Record<string, string>): void;
  close(): Promise<void>;
}

/**
 * The origin of a page under test. Paths that begin with `/status/` answer with that status, any other path that was
 * not served with an empty page.
 */
export async function startPageSite(): Promise<PageSite> {
  const files = new Map<string, { type: string; body: string; headers: Record<string, string> }>();
  const requests: PageSite['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = request.url ?? '/';
    requests.push({
      method: request.method ?? '',
      url,
      headers: request.headers,
      body: String(Buffer.concat(chunks)),
    });
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    const { pathname } = new URL(url, 'http://site');
    const status = Number(/^\/status\/(\d{3})/.exec(pathname)?.[1] ?? 200);
    const file = files.get(pathname) ?? {
      type: 'text/html',
      body: '<!doctype html><title>Page</title>',
      headers: {},
    };
    response.writeHead(status, { 'content-type': file.type, ...file.headers });
    response.end(file.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    serve: (path, type, body, headers = {}) => void files.set(path, { type, body, headers }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
