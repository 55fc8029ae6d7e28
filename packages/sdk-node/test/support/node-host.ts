import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { portOf } from './recording-endpoint.ts';

/** A server of `node:http` inside the test, which the library sees as it sees a host's. */
export interface NodeHost {
  url: string;
  /** Sends a request, reads its answer, and waits until the server is done with it as well. */
  get(path: string, headers?: Record<string, string>): Promise<number>;
  close(): Promise<void>;
}

/** Starts a host on a free port. */
export async function startNodeHost(listener: RequestListener): Promise<NodeHost> {
  const server = createServer(listener);
  const ends = new Set<Promise<void>>();
  server.on('request', (_request, response) => {
    const end = once(response, 'close').then(() => {
      ends.delete(end);
    });
    ends.add(end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${portOf(server)}`;
  return {
    url,
    async get(path, headers = {}) {
      const response = await fetch(url + path, { headers });
      await response.text();
      await Promise.all(ends);
      return response.status;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
