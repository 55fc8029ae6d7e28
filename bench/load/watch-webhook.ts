import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { exceptionEvent } from './exception-event.ts';
import { openConnection } from './http-connection.ts';
import { createLatencies, type LatencySummary } from './latencies.ts';
import { prepareRequest } from './request-bytes.ts';

/** Sends single new errors and waits for the webhook about each, first bundle included. */
export interface WebhookWatch {
  host: string;
  port: number;
  projectToken: string;
  memberToken: string;
  /** Bare UUID. */
  projectId: string;
  /** New errors, one after the other. */
  rounds: number;
  pauseMs: number;
  /** Webhooks of the same project whose receivers take every request and never answer. */
  hangingReceivers: number;
}

export interface WebhookWatchResult {
  /** From the first byte of the event to the last byte of the delivery at its receiver. */
  delivery: LatencySummary;
}

const RECEIVED_TIMEOUT_MS = 60_000;
const HOST = '127.0.0.1';

export async function watchWebhook(watch: WebhookWatch): Promise<WebhookWatchResult> {
  const { host, port } = watch;
  const arrivals = new Map<string, number>();
  let recordArrival: () => void = () => {};
  const servers: Server[] = [];
  const made: string[] = [];

  async function startReceiver(onBody: ((body: string) => void) | null): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      if (onBody === null) return;
      response.writeHead(204).end();
      onBody(Buffer.concat(chunks).toString());
    });
    servers.push(server);
    server.listen(0, HOST);
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a receiver has no port');
    made.push(await createWebhook(watch, `http://${HOST}:${address.port}/in`));
  }

  const sender = await openConnection(host, port);
  const latencies = createLatencies();
  const run = letters(Date.now());
  try {
    for (let n = 0; n < watch.hangingReceivers; n += 1) await startReceiver(null);
    await startReceiver((body) => {
      const mark = /Watched\w+/.exec(body)?.[0];
      if (mark !== undefined) arrivals.set(mark, performance.now());
      recordArrival();
    });
    for (let round = 0; round < watch.rounds; round += 1) {
      const mark = `Watched${run}${letters(round)}`;
      const text = exceptionEvent(1, 1500).replaceAll('Cannot read properties', mark);
      const request = prepareRequest({ host, port, token: watch.projectToken }, [text]);
      const begin = performance.now();
      const answer = await sender.exchange(request.bytes);
      if (answer.status !== 202) throw new Error(`answered ${answer.status} ${answer.body}`);
      while (!arrivals.has(mark)) {
        if (performance.now() - begin > RECEIVED_TIMEOUT_MS) throw new Error('a delivery did not come');
        await Promise.race([
          new Promise<void>((resolve) => {
            recordArrival = resolve;
          }),
          delay(1000),
        ]);
      }
      latencies.add((arrivals.get(mark) ?? 0) - begin);
      await delay(watch.pauseMs);
    }
  } finally {
    sender.close();
    for (const id of made) await deleteWebhook(watch, id);
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
  return { delivery: latencies.summary() };
}

/** A number as a word: grouping takes digits for what changes within one error. */
function letters(number: number): string {
  return `Z${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
}

async function createWebhook(watch: WebhookWatch, url: string): Promise<string> {
  const response = await fetch(`http://${watch.host}:${watch.port}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${watch.memberToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: watch.projectId, url, events: ['bundle.created'] }),
  });
  const body = await response.text();
  const id = /"webhook_id":"(whk_[0-9a-f-]+)"/.exec(body)?.[1];
  if (response.status !== 201 || id === undefined) throw new Error(`answered ${response.status} ${body}`);
  return id;
}

async function deleteWebhook(watch: WebhookWatch, id: string): Promise<void> {
  const response = await fetch(`http://${watch.host}:${watch.port}/v1/webhooks/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${watch.memberToken}` },
  });
  if (response.status !== 204) throw new Error(`deleting a webhook answered ${response.status}`);
}
