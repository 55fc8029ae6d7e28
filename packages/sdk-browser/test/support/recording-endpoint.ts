import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkEvent } from '../../../evidence/src/events/envelope/check-event.ts';

interface RecordedRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  events: SentEvent[];
}

/** An event as it left the page. */
export interface SentEvent {
  event_id: string;
  event_type: string;
  occurred_at: string;
  correlation: Record<string, string | null>;
  context: Record<string, unknown>;
  payload: Record<string, unknown>;
  [key: string]: unknown;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** What it waits for. */
  after?: Promise<void>;
}

/** An ingestion endpoint that records what it is sent, and answers as the service does unless a test says otherwise. */
export interface RecordingEndpoint {
  origin: string;
  requests: RecordedRequest[];
  /** Every event of every request. Throws when the service's own check would refuse one. */
  events(): SentEvent[];
  ofType(type: string): SentEvent[];
  /** Replaces the next answers, in order. */
  answer(...answers: Answer[]): void;
  /** The answer of `GET /v1/sdk/config`. */
  config: Answer;
  close(): Promise<void>;
}

/** Starts one; `path` is where a relay would stand, otherwise the ingestion of a service. */
export async function startRecordingEndpoint(): Promise<RecordingEndpoint> {
  const requests: RecordedRequest[] = [];
  const answers: Answer[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = String(Buffer.concat(chunks));
    const { origin } = request.headers;
    if (origin !== undefined) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('vary', 'Origin');
      response.setHeader('access-control-expose-headers', 'ETag, Retry-After');
    }
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS');
      response.setHeader(
        'access-control-allow-headers',
        'authorization, content-type, if-none-match, x-service-sdk, x-service-sdk-version',
      );
      response.writeHead(204).end();
      return;
    }
    const events = eventsOf(body);
    refused.push(...events.map(faultOf).filter((fault) => fault !== null));
    const path = request.url ?? '';
    requests.push({ method: request.method ?? '', path, headers: request.headers, body, events });
    const answer = path.endsWith('/sdk/config') ? endpoint.config : (answers.shift() ?? acknowledge(events));
    await answer.after;
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const all = () => {
    if (refused.length > 0) throw new Error(`the service would refuse: ${refused[0]}`);
    return requests.flatMap(({ events }) => events);
  };
  const endpoint: RecordingEndpoint = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    events: all,
    ofType: (type) => all().filter((event) => event.event_type === type),
    answer: (...next) => void answers.push(...next),
    config: { status: 503, body: { error: 'service_unavailable' } },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return endpoint;
}

function acknowledge(events: readonly SentEvent[]): Answer {
  return {
    status: 202,
    body: { accepted: events.length, rejected: 0, errors: [], probe_directives: { active_probes: [] } },
  };
}

function eventsOf(body: string): SentEvent[] {
  if (body === '') return [];
  const { events, batch } = JSON.parse(body) as { events?: SentEvent[]; batch?: SentEvent[] };
  return events ?? batch ?? [];
}

/** Why the service would refuse an event, by its own check. */
function faultOf(event: SentEvent): string | null {
  const check = checkEvent(event);
  return check.ok ? null : `${check.reason}\n${JSON.stringify(event)}`;
}
