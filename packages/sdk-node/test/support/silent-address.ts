import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An address of this machine at which connections are never opened, as behind a firewall that drops packets. */
export interface SilentAddress {
  url: string;
  close(): Promise<void>;
}

/** Listens, and then stands still. */
const SOURCE = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  process.stdout.write(String(server.address().port), () =>
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 50));
});`;
const OPENS_WITHIN_MS = 500;
const CONNECTIONS_MAX = 100;

/** Fills the queue of a listener that takes nothing, so that the system ignores every further connection. */
export async function startSilentAddress(): Promise<SilentAddress> {
  const child = spawn(process.execPath, ['-e', SOURCE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout, 'data');
  const port = Number(String(text));
  const sockets: Socket[] = [];
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  while (sockets.length < CONNECTIONS_MAX) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    const hasOpened = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), OPENS_WITHIN_MS)),
    ]);
    if (!hasOpened && sockets.length > 2) return { url: `http://127.0.0.1:${port}`, close };
  }
  await close();
  throw new Error('every connection was opened');
}
