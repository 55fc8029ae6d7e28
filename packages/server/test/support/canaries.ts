import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Listeners where nobody may ever call. */
export interface Canaries {
  /** `address:port` of every connection that came, in order. */
  connections: string[];
  /** What is listened on; ports below 1024 are missing where this user may not open them. */
  places: string[];
  close(): Promise<void>;
}

const LOOPBACK_ALIASES = ['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254', '::1'];
/** Not ours to have: the machine has no such address, or no right to the port, or somebody listens there already. */
const MISSING_CODES = ['EADDRNOTAVAIL', 'EACCES', 'EADDRINUSE', 'EAFNOSUPPORT'];

/** Listens on loopback aliases and on every address of this machine. */
export async function startCanaries(ports: readonly number[]): Promise<Canaries> {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const addresses = new Set([
    ...LOOPBACK_ALIASES,
    ...own.filter(({ scopeid }) => !scopeid).map(({ address }) => address),
  ]);
  const places = [...addresses].flatMap((address) => ports.map((port) => ({ address, port })));
  return await listenAt(places);
}

/** Listens on these addresses, `::` for all of them. */
export async function listenAt(places: readonly { address: string; port: number }[]): Promise<Canaries> {
  const connections: string[] = [];
  const servers: Server[] = [];
  const listening: string[] = [];
  for (const { address, port } of places) {
    const server = createServer((socket) => {
      connections.push(`${socket.localAddress}:${socket.localPort}`);
      socket.destroy();
    });
    if (await isListening(server, address, port)) {
      servers.push(server);
      listening.push(`${address}:${port}`);
    }
  }
  return {
    connections,
    places: listening,
    async close() {
      for (const server of servers) {
        server.close();
        await once(server, 'close');
      }
    },
  };
}

async function isListening(server: Server, host: string, port: number): Promise<boolean> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (MISSING_CODES.includes(code)) return false;
    throw error;
  }
}
