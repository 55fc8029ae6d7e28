import { connect, createServer, type Socket } from 'node:net';
import { overTcp } from './over-tcp.ts';
import { reservePort } from './reserved-port.ts';

/** Stands between the service and its database, and goes wrong on demand. */
export interface TcpProxy {
  /** The target's URL with the proxy's address. */
  url: string;
  /** Sends new connections elsewhere. */
  retarget(url: string): void;
  /** Nobody listens any more, and what is connected is reset. */
  refuse(): Promise<void>;
  /** Resets what is connected and takes new connections. */
  cut(): void;
  /** Takes connections and bytes, and passes nothing on. */
  hang(): void;
  /**
   * Ends the fault. Connections that were hanging go on where they were; with `forgets` they stay silent for ever, as
   * behind a router that lost its table.
   */
  mend(options?: { forgets?: boolean }): Promise<void>;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  /** Null as long as nothing is passed on. */
  target: Socket | null;
  isForgotten: boolean;
}

/** Starts a proxy on this machine before the server that `targetUrl` names. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let target = new URL(targetUrl);
  let isHanging = false;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const pair: Pair = { client, target: null, isForgotten: false };
    pairs.add(pair);
    client.setNoDelay(true);
    client.on('error', () => {});
    client.on('close', () => {
      pairs.delete(pair);
      pair.target?.end();
    });
    if (!isHanging) flow(pair);
  });
  // It listens there again after it refused.
  await listen(await reservePort());
  const { port } = addressOf();

  function addressOf(): { port: number } {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    return address;
  }

  function listen(onPort: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(onPort, '127.0.0.1', resolve);
    });
  }

  function flow(pair: Pair): void {
    const { client } = pair;
    pair.target ??= join(client);
    pair.target.resume();
    client.resume();
  }

  function join(client: Socket): Socket {
    const socket = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    socket.on('error', () => {});
    socket.on('data', (chunk) => client.write(chunk));
    socket.on('close', () => client.end());
    client.on('data', (chunk) => socket.write(chunk));
    return socket;
  }

  function reset(): void {
    for (const { client, target: socket } of pairs) {
      client.resetAndDestroy();
      socket?.destroy();
    }
  }

  const url = overTcp(targetUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    retarget(newUrl) {
      target = new URL(newUrl);
    },
    async refuse() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      reset();
      await closed;
    },
    cut: reset,
    hang() {
      isHanging = true;
      for (const { client, target: socket } of pairs) {
        client.pause();
        socket?.pause();
      }
    },
    async mend({ forgets = false } = {}) {
      if (!server.listening) await listen(port);
      isHanging = false;
      for (const pair of pairs) {
        pair.isForgotten ||= forgets;
        if (!pair.isForgotten) flow(pair);
      }
    },
    async close() {
      reset();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
