import { once } from 'node:events';
import { createServer } from 'node:net';

/** The port cannot be opened; the message is written for the operator. */
export class ListenError extends Error {
  override name = 'ListenError';
}

/** Returns an error that explains why a port could not be opened; an error with another cause is returned unchanged. */
export function listenProblem(
  error: unknown,
  { host, port, setting = 'CULPRIT_PORT' }: { host: string; port: number; setting?: string },
): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const sentence = typeof code === 'string' ? REASONS.get(code) : undefined;
  return sentence === undefined ? error : new ListenError(sentence(host, port, setting), { cause: error });
}

/** Fails with `ListenError` if the port cannot be opened now. */
export async function checkPort(address: { host: string; port: number }): Promise<void> {
  const { host, port } = address;
  const server = createServer().listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem(error, address);
  }
  server.close();
  await once(server, 'close');
}

const REASONS = new Map<string, (host: string, port: number, setting: string) => string>([
  [
    'EADDRINUSE',
    (host, port, setting) =>
      `port ${port} of ${host} is already in use; stop the program that uses it, perhaps another Culprit, or choose another port with ${setting}`,
  ],
  [
    'EACCES',
    (_host, port, setting) => `this user cannot open port ${port}; choose one above 1023 with ${setting}`,
  ],
  [
    'EADDRNOTAVAIL',
    (host) =>
      `${host} is not an address of this machine; correct CULPRIT_HOST (0.0.0.0 listens on all of them)`,
  ],
  ['ENOTFOUND', (host) => `${host} is not a known host name; correct CULPRIT_HOST`],
  ['EAI_AGAIN', (host) => `the host name ${host} cannot be looked up now; use an address in CULPRIT_HOST`],
]);
