import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** What becomes of the stream of changes on its way; everything else passes. */
export type StreamFate = 'passed' | 'refused' | 'cut' | 'kept back';

export interface StreamProxy {
  url: string;
  /** Where to pass requests on to; known once the service runs. */
  setTarget(url: string): void;
  /** From here on; `cut` also ends the streams that are open. */
  setFate(fate: StreamFate): void;
  /** How many greetings went through to the page. */
  greetings(): number;
  /** The paths of what was asked for, the stream excepted. */
  asked: string[];
  stop(): Promise<void>;
}

/** Stands between a browser and the service, as the proxies of real installations do. */
export async function startStreamProxy(): Promise<StreamProxy> {
  let target = '';
  let fate: StreamFate = 'passed';
  let greetings = 0;
  const asked: string[] = [];
  const open = new Set<ServerResponse>();

  const server = createServer((incoming, outgoing) => {
    const isStream = incoming.url?.startsWith('/v1/stream') === true;
    if (!isStream && incoming.url?.startsWith('/v1/') === true) asked.push(incoming.url);
    if (isStream && (fate === 'refused' || fate === 'cut')) {
      outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found"}');
      return;
    }
    const { method = 'GET', url = '/', headers } = incoming;
    const forward = request(new URL(url, target), { method, headers }, (answer) =>
      passBack(answer, outgoing, isStream),
    );
    forward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forward.destroy());
    incoming.pipe(forward);
  });

  function passBack(answer: IncomingMessage, outgoing: ServerResponse, isStream: boolean): void {
    if (isStream && fate === 'kept back') {
      answer.resume();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (isStream) {
      open.add(outgoing);
      outgoing.on('close', () => open.delete(outgoing));
      answer.on('data', (chunk: Buffer) => {
        if (chunk.includes('event: hello')) greetings += 1;
      });
    }
    answer.pipe(outgoing);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    setTarget(url) {
      target = url;
    },
    setFate(next) {
      fate = next;
      if (next === 'cut') for (const each of open) each.destroy();
    },
    greetings: () => greetings,
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
