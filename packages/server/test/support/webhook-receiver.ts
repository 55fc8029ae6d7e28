import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from './eventually.ts';

/** One request a receiver got. */
interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** How a receiver answers: a status, or whatever it does with the response. */
export type ReceiverAnswer = number | ((response: ServerResponse, request: ReceivedRequest) => void);

/** A real HTTP server on this machine that stands for somebody's webhook receiver. */
export interface WebhookReceiver {
  /** With a path of its own, so that several webhooks can share a receiver. */
  url: string;
  requests: ReceivedRequest[];
  /** Most requests that were under way at once. */
  parallelMax(): number;
  /** The answers to the next requests, one each; behind them the last one stays. */
  answer(...answers: ReceiverAnswer[]): void;
  /** Waits until so many requests came. */
  received(count: number): Promise<ReceivedRequest[]>;
  stop(): Promise<void>;
}

/** Starts a receiver that answers 204 unless told otherwise. */
export async function startReceiver(...answers: ReceiverAnswer[]): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let queue: ReceiverAnswer[] = answers;
  let parallel = 0;
  let parallelMax = 0;

  const server = createServer(async (request, response) => {
    parallel += 1;
    parallelMax = Math.max(parallelMax, parallel);
    response.on('close', () => {
      parallel -= 1;
    });
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(Buffer.from(piece));
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(pieces),
    };
    requests.push(received);
    const answer = (queue.length > 1 ? queue.shift() : queue[0]) ?? 204;
    if (typeof answer === 'number') response.writeHead(answer).end();
    else answer(response, received);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a port of 127.0.0.1, so there is an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/in`,
    requests,
    parallelMax: () => parallelMax,
    answer(...next) {
      queue = next;
    },
    received: (count) =>
      eventually(() => {
        if (requests.length < count) throw new Error(`${requests.length} requests came, not ${count}`);
        return requests;
      }),
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An answer that never comes. */
export function hang(): void {}

/** An answer with a body, headers, or both. */
export function reply(status: number, headers: Record<string, string> = {}, body = ''): ReceiverAnswer {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** The connection is cut instead of an answer. */
export function reset(response: ServerResponse): void {
  response.socket?.destroy();
}
