import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { checkEvent } from '../../../evidence/src/events/envelope/check-event.ts';

export type JsonRecord = Record<string, unknown>;

/** A request that arrived at the recording endpoint. */
export interface Arrival {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** The events of a batch, in their order. */
  events: JsonRecord[];
  bytes: number;
  at: number;
}

/** What the endpoint answers with; undefined is the service's ordinary answer. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'cut';

/** An ingestion endpoint that records what arrives and judges every event with the service's own check. */
export interface RecordingEndpoint {
  /** A bare origin, as hosts give it. */
  url: string;
  arrivals: Arrival[];
  /** Every event of every batch that was answered with 202. */
  events(type?: string): JsonRecord[];
  /** Reasons of the service's check; a sound library leaves this empty. */
  faults: string[];
  /** Decides the answers from now on. */
  answerWith(answer: (arrival: Arrival) => Answer | undefined): void;
  /** The document of `GET /v1/sdk/config`. */
  config: JsonRecord;
  close(): Promise<void>;
}

export const TEST_TOKEN = `svc_proj_${'a'.repeat(43)}`;

/** The document of `GET /v1/sdk/config` of a project with defaults. */
export const DEFAULT_CONFIG: JsonRecord = {
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

/** Starts an endpoint on a free port. */
export async function startRecordingEndpoint(): Promise<RecordingEndpoint> {
  let decide: (arrival: Arrival) => Answer | undefined = () => undefined;
  const accepted: JsonRecord[] = [];
  const endpoint: RecordingEndpoint = {
    url: '',
    arrivals: [],
    faults: [],
    config: structuredClone(DEFAULT_CONFIG),
    events: (type) => accepted.filter((event) => type === undefined || event.event_type === type),
    answerWith: (next) => {
      decide = next;
    },
    close: () => stop(server),
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBody(request);
    const events = request.method === 'POST' ? parseEvents(bytes, request) : [];
    const arrival: Arrival = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      events,
      bytes: bytes.length,
      at: Date.now(),
    };
    endpoint.arrivals.push(arrival);
    const answer = decide(arrival);
    if (answer === 'hang') return;
    if (answer === 'cut') {
      accepted.push(...events);
      request.socket.destroy();
      return;
    }
    if (answer !== undefined) {
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.body ?? '{"error":"test"}');
      return;
    }
    response.writeHead(request.method === 'POST' ? 202 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.method === 'POST' ? acknowledge(events) : endpoint.config));
  }

  function acknowledge(events: JsonRecord[]) {
    const errors = events.flatMap((event, index) => {
      const check = checkEvent(event);
      if (check.ok) {
        accepted.push(event);
        return [];
      }
      endpoint.faults.push(check.reason);
      return [{ index, reason: check.reason }];
    });
    const rejected = errors.length;
    return { accepted: events.length - rejected, rejected, errors, probe_directives: { active_probes: [] } };
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      endpoint.faults.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint.url = `http://127.0.0.1:${portOf(server)}`;
  return endpoint;
}

/** The port of a listening server. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

/** The events of a batch, packed or not. @throws Error for a body without any */
export function parseEvents(bytes: Buffer, { headers }: IncomingMessage): JsonRecord[] {
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
  const body: unknown = JSON.parse(text);
  const events = isRecord(body) ? body.events : undefined;
  if (!Array.isArray(events)) throw new Error('the body has no events');
  return events.filter(isRecord);
}

/** Whether a JSON value is an object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
