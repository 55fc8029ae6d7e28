import { connect } from 'node:tls';

const CONNECT_MAX_MS = 5000;

/**
 * Returns the end of a server's certificate; null if the server is not reached directly, or its certificate is not
 * trusted.
 * @param options.anyhow also for one that is not trusted: nothing is sent to that server
 */
export function certificateEnd(
  origin: string,
  { anyhow = false }: { anyhow?: boolean } = {},
): Promise<number | null> {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: port === '' ? 443 : Number(port),
      servername: host,
      rejectUnauthorized: !anyhow,
    });
    const end = (atMs: number | null) => {
      socket.destroy();
      resolve(atMs);
    };
    socket.setTimeout(CONNECT_MAX_MS, () => end(null));
    socket.once('error', () => end(null));
    socket.once('secureConnect', () => {
      const atMs = Date.parse(socket.getPeerCertificate().valid_to);
      end(Number.isNaN(atMs) ? null : atMs);
    });
  });
}
