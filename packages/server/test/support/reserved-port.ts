import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which operating systems hand out ports by themselves (Linux 32768, macOS 49152): whoever
 * listens on port 0 or opens a connection beside the test never gets one of these.
 */
const FIRST_PORT = 12_000;
const END_PORT = 32_000;
const ATTEMPTS_MAX = 100;

/**
 * A port of 127.0.0.1 for a service that must know its own address before it starts, or that comes back to the same
 * one after a kill.
 */
export async function reservePort(): Promise<number> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port found in ${ATTEMPTS_MAX} attempts`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
