import { createServer, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';

/** A batch as the service gets it. */
interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: JsonObject;
  events: JsonObject[];
}

/** An ingestion endpoint that accepts everything, or answers a path as it is asked to. */
export interface RecordingUpstream {
  origin: string;
  received: Received[];
  /** The status by the path of the request; 202 otherwise. */
  statusOf: (path: string) => number;
  close: () => Promise<void>;
}

export async function startUpstream(): Promise<RecordingUpstream> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      const body: unknown = JSON.parse(text.toString('utf8'));
      const path = request.url ?? '';
      const status = upstream.statusOf(path);
      if (!isJsonObject(body) || !Array.isArray(body.events)) throw new Error(`no batch: ${text}`);
      const events = body.events.filter(isJsonObject);
      received.push({ path, headers: request.headers, body, events });
      response.writeHead(status, { 'Content-Type': 'application/json' });
      const accepted = {
        accepted: events.length,
        rejected: 0,
        errors: [],
        probe_directives: { active_probes: [] },
      };
      response.end(JSON.stringify(status === 202 ? accepted : { error: 'service_unavailable' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const upstream: RecordingUpstream = {
    origin: `http://127.0.0.1:${address.port}`,
    received,
    statusOf: () => 202,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return upstream;
}
