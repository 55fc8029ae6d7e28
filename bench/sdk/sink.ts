import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** An ingestion endpoint that accepts everything and counts occurrences; peers get an empty answer. */
export interface Sink {
  url: string;
  /** Events, and those that reports of suppression stand for, since the last call. */
  takeOccurrences(): number;
  stop(): Promise<void>;
}

const CONFIG = {
  probes_enabled: true,
  remote_probes_enabled: true,
  active_probes: [],
  poll_interval_ms: 60_000,
  capture_policy: {
    preset: 'balanced',
    capture_logs: 'warning',
    capture_request_events: 'failures_only',
    capture_breadcrumbs: 'exception_only',
    capture_probe_events: 'buffer_only',
    immediate_client_error_statuses: [],
    immediate_client_error_path_rules: [],
  },
  capture_rules: [],
};

export async function startSink(): Promise<Sink> {
  let occurrences = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    response.setHeader('content-type', 'application/json');
    if (request.url === '/v1/sdk/config') {
      response.end(JSON.stringify(CONFIG));
    } else if (request.url === '/v1/events') {
      const isPacked = request.headers['content-encoding'] === 'gzip';
      const events = eventsIn((isPacked ? gunzipSync(body) : body).toString('utf8'));
      occurrences += events.reduce<number>((sum, event) => sum + occurrencesOf(event), 0);
      const directives = { active_probes: [] };
      response.statusCode = 202;
      response.end(
        JSON.stringify({
          accepted: events.length,
          rejected: 0,
          errors: [],
          probe_directives: directives,
        }),
      );
    } else response.end('{}');
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    takeOccurrences() {
      const taken = occurrences;
      occurrences = 0;
      return taken;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function eventsIn(text: string): unknown[] {
  const body: unknown = JSON.parse(text);
  return typeof body === 'object' && body !== null && 'events' in body && Array.isArray(body.events)
    ? body.events
    : [];
}

function occurrencesOf(event: unknown): number {
  if (typeof event !== 'object' || event === null || !('event_type' in event)) return 0;
  if (event.event_type !== 'error_suppressed') return 1;
  const payload = 'payload' in event ? event.payload : null;
  return typeof payload === 'object' && payload !== null && 'suppressed_count' in payload
    ? Number(payload.suppressed_count)
    : 0;
}
