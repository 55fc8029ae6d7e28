import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';

/** A batch of events that the service accepted. */
interface RecordedBatch {
  /** When it passed on its way to the service. */
  atMs: number;
  events: JsonObject[];
}

/** Stands before a service, passes everything on and remembers what tells of incidents. */
export interface RecordingProxy {
  url: string;
  batches: readonly RecordedBatch[];
  /** When incidents were resolved, as the service answered it. */
  resolutions: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

export async function startRecordingProxy(serviceUrl: string): Promise<RecordingProxy> {
  const batches: RecordedBatch[] = [];
  const resolutions = new Map<string, string>();
  const server = createServer((incoming, outgoing) => {
    const atMs = Date.now();
    passOn(serviceUrl, incoming).then(
      ({ sent, status, headers, body }) => {
        if (incoming.method === 'POST' && incoming.url === '/v1/events' && status === 202) {
          batches.push({ atMs, events: eventsIn(sent, incoming.headers['content-encoding']) });
        }
        const [, incidentId] = /^\/v1\/incidents\/([^/]+)\/resolve$/.exec(incoming.url ?? '') ?? [];
        const resolvedAt = incidentId === undefined ? null : resolvedAtOf(body);
        if (incidentId !== undefined && resolvedAt !== null) resolutions.set(incidentId, resolvedAt);
        outgoing.writeHead(status, headers).end(body);
      },
      () => outgoing.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    batches,
    resolutions,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function passOn(serviceUrl: string, incoming: IncomingMessage) {
  const sent = await buffer(incoming);
  const { method = 'GET', url = '/', headers } = incoming;
  const forward = request(new URL(url, serviceUrl), { method, headers });
  forward.end(sent);
  const [answer]: IncomingMessage[] = await once(forward, 'response');
  if (answer === undefined) throw new Error('the service did not answer');
  const body = await buffer(answer);
  const { connection: _connection, 'transfer-encoding': _encoding, ...others } = answer.headers;
  return { sent, status: answer.statusCode ?? 0, headers: others, body };
}

function eventsIn(sent: Buffer, encoding: string | undefined): JsonObject[] {
  const body: unknown = JSON.parse((encoding === 'gzip' ? gunzipSync(sent) : sent).toString('utf8'));
  const events = isJsonObject(body) && Array.isArray(body.events) ? body.events : [];
  return events.filter(isJsonObject);
}

function resolvedAtOf(body: Buffer): string | null {
  const answer: unknown = JSON.parse(body.toString('utf8'));
  const incident = isJsonObject(answer) ? answer.incident : null;
  return isJsonObject(incident) && typeof incident.resolved_at === 'string' ? incident.resolved_at : null;
}
