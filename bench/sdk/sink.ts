import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  DEFAULT_CONFIG,
  isRecord,
  type JsonRecord,
  parseEvents,
  portOf,
} from '../../packages/sdk-node/test/support/recording-endpoint.ts';

/** An ingestion endpoint that accepts everything and counts occurrences; peers get an empty answer. */
export interface Sink {
  url: string;
  /** Returns the number of events, and of those that reports of suppression count, since the last call. */
  takeOccurrences(): number;
  stop(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  let occurrences = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    response.setHeader('content-type', 'application/json');
    if (request.url === '/v1/sdk/config') {
      response.end(JSON.stringify(DEFAULT_CONFIG));
    } else if (request.url === '/v1/events') {
      const events = parseEvents(body, request);
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
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
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

function occurrencesOf({ event_type: type, payload }: JsonRecord): number {
  if (type !== 'error_suppressed') return 1;
  return isRecord(payload) ? Number(payload.suppressed_count ?? 0) : 0;
}
