import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** What came back for a request, or how the connection ended instead. */
export type FuzzAnswer =
  | { status: number; headers: ReadonlyMap<string, string>; text: string }
  | { status: null; ending: string };

/** Keeps connections open, so that an answer that leaves one out of step breaks the next. */
export function openSender(serverUrl: string, timeoutMs: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(serverUrl);

  function send(
    method: string,
    target: string,
    headers: readonly (readonly [string, string])[],
    bytes: Uint8Array | null,
  ): Promise<FuzzAnswer> {
    return new Promise((resolve) => {
      const length = bytes === null ? [] : ['content-length', String(bytes.length)];
      const sent = request({
        agent,
        hostname,
        port,
        method,
        path: target,
        headers: ['host', `${hostname}:${port}`, ...length, ...headers.flat()],
        timeout: timeoutMs,
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', (error) => resolve({ status: null, ending: error.message }));
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          // A stream of events has no end; its first event tells enough.
          if (response.headers['content-type'] === 'text/event-stream') {
            finish();
            response.destroy();
          }
        });
        response.on('error', (error) => resolve({ status: null, ending: error.message }));
        response.on('end', finish);
        function finish(): void {
          const fields = Object.entries(response.headers).map(
            ([name, value]) => [name, String(value)] as const,
          );
          const text = decoded(Buffer.concat(chunks), response.headers['content-encoding']).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: new Map(fields), text });
        }
      });
      sent.end(bytes ?? undefined);
    });
  }

  return { send, close: () => agent.destroy() };
}

/** The content of an answer that a hostile header may have had compressed. */
function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
}
