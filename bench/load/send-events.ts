import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { EventSize } from './exception-event.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';
import { createLatencies, type LatencySummary } from './latencies.ts';
import { type ForeignForm, type PreparedRequest, prepareRequests } from './request-bytes.ts';

/** The receiver of events, and their form. */
export interface EventLoad {
  host: string;
  port: number;
  token: string;
  /** The form in which other clients send; absent for our own. */
  foreign?: ForeignForm;
  eventSize: EventSize;
  eventsPerRequest: number;
  connections: number;
  /** Tags that the client sets at each event. */
  tags?: number;
  /** Kinds of error, which become as many incidents. */
  kinds: number;
  /** The pace of the requests. */
  pace:
    | { kind: 'closed'; pauseMs: number }
    /** Independent of the answers, as clients that know nothing of each other are. */
    | { kind: 'open'; requestsPerSecond: number };
  /** Ends after so many seconds or events, whichever is set. */
  seconds: number | null;
  events: number | null;
  /** Sent before in the same way and not measured. */
  warmUpSeconds: number;
  /** Continues after a 503, as in an overload; a request that finds no free connection is then not sent at all. */
  isRefusalExpected?: boolean;
}

export interface LoadResult {
  requests: number;
  /** Requests answered 503. */
  refused: number;
  /** Events in answers of 202 during the measured time. */
  accepted: number;
  /** The same with the warm-up: what must be counted in the end. */
  acceptedInAll: number;
  seconds: number;
  /** From the moment a request was due until its answer, in milliseconds; without those refused. */
  latency: LatencySummary;
}

const ACCEPTED = /^\{"accepted":(\d+)/;
/** Prepared requests for each connection are limited by memory. */
const PREPARED_BYTES_MAX = 128 * 1024 * 1024;
const PREPARED_REQUESTS_MIN = 4;

/** Sends events and measures; fails with the first unexpected answer: that is not a 202 for all events of its request. */
export async function sendEvents(load: EventLoad): Promise<LoadResult> {
  const senders = await openSenders(load);
  try {
    let warmedUp = 0;
    if (load.warmUpSeconds > 0) {
      warmedUp = (await run(senders, { ...load, seconds: load.warmUpSeconds, events: null })).accepted;
    }
    const result = await run(senders, load);
    return { ...result, acceptedInAll: result.accepted + warmedUp };
  } finally {
    for (const sender of senders) sender.connection.close();
  }
}

interface Sender {
  connection: HttpConnection;
  requests: PreparedRequest[];
  next: number;
}

async function openSenders(load: EventLoad): Promise<Sender[]> {
  const requestBytes = load.eventSize * load.eventsPerRequest;
  const wanted = Math.ceil(load.kinds / (load.connections * load.eventsPerRequest));
  const affordable = Math.floor(PREPARED_BYTES_MAX / (load.connections * requestBytes));
  const requestCount = Math.max(PREPARED_REQUESTS_MIN, Math.min(wanted, affordable));
  return await Promise.all(
    Array.from({ length: load.connections }, async (_, index) => ({
      connection: await openConnection(load.host, load.port),
      requests: prepareRequests({
        ...load,
        requestCount,
        firstKind: Math.floor((index * load.kinds) / load.connections),
      }),
      next: 0,
    })),
  );
}

async function run(senders: readonly Sender[], load: EventLoad): Promise<Omit<LoadResult, 'acceptedInAll'>> {
  const latencies = createLatencies();
  const begin = performance.now();
  let accepted = 0;
  let requests = 0;
  let refused = 0;
  let started = 0;

  function isOver(): boolean {
    if (load.events !== null && started >= load.events) return true;
    return load.seconds !== null && performance.now() - begin >= load.seconds * 1000;
  }
  async function send(sender: Sender, dueAtMs: number): Promise<void> {
    const request = sender.requests[sender.next % sender.requests.length];
    if (request === undefined) throw new Error('no request was prepared');
    sender.next += 1;
    started += request.eventCount;
    request.renew();
    const answer = await sender.connection.exchange(request.bytes);
    if (answer.status === 503 && load.isRefusalExpected === true) {
      refused += 1;
      return;
    }
    latencies.add(performance.now() - dueAtMs);
    const isForeign = load.foreign !== undefined;
    const isWhole = load.foreign?.form === 'otlp' ? answer.body === '' : !answer.body.includes('rejected');
    const count = isForeign ? isWhole && request.eventCount : Number(ACCEPTED.exec(answer.body)?.[1]);
    if (answer.status !== (isForeign ? 200 : 202) || count !== request.eventCount) {
      throw new Error(`answered ${answer.status} ${answer.body.slice(0, 300)}`);
    }
    requests += 1;
    accepted += count;
  }

  if (load.pace.kind === 'open') {
    const { isRefusalExpected = false } = load;
    await sendOpen(senders, load.pace.requestsPerSecond, { isOver, send, isQueued: !isRefusalExpected });
  } else {
    const { pauseMs } = load.pace;
    await Promise.all(senders.map((sender) => sendClosed(sender, pauseMs, isOver, send)));
  }
  const seconds = (performance.now() - begin) / 1000;
  return { requests, refused, accepted, seconds, latency: latencies.summary() };
}

type Send = (sender: Sender, dueAtMs: number) => Promise<void>;

/** The next request leaves when the answer is there, after a pause if one is wanted. */
async function sendClosed(sender: Sender, pauseMs: number, isOver: () => boolean, send: Send): Promise<void> {
  while (!isOver()) {
    await send(sender, performance.now());
    if (pauseMs > 0) await delay(pauseMs);
  }
}

/**
 * Requests are due at even times, whether or not earlier ones were answered, and wait for a free connection; their time
 * counts from when they were due, so that a slow answer is not hidden by the requests it kept back.
 */
async function sendOpen(
  senders: readonly Sender[],
  requestsPerSecond: number,
  { isOver, send, isQueued }: { isOver: () => boolean; send: Send; isQueued: boolean },
): Promise<void> {
  const intervalMs = 1000 / requestsPerSecond;
  const free = [...senders];
  const due: number[] = [];
  const underWay = new Set<Promise<void>>();
  let failure: Error | null = null;

  function start(sender: Sender, dueAtMs: number): void {
    const sent = send(sender, dueAtMs).then(
      () => {
        const next = due.shift();
        if (next === undefined) free.push(sender);
        else start(sender, next);
      },
      (error: Error) => {
        failure ??= error;
      },
    );
    underWay.add(sent);
    void sent.then(() => underWay.delete(sent));
  }

  for (let nextMs = performance.now(); !isOver() && failure === null; ) {
    while (performance.now() < nextMs) {
      // Timers are a millisecond late; the last stretch is waited for in turns of the loop.
      if (nextMs - performance.now() > 2) await delay(1);
      else await nextTurn();
    }
    // In turns: the server closes a connection that says nothing for long.
    const sender = free.shift();
    if (sender !== undefined) start(sender, nextMs);
    else if (isQueued) due.push(nextMs);
    nextMs += intervalMs;
  }
  while (underWay.size > 0 && failure === null) await Promise.all(underWay);
  if (failure !== null) throw failure;
}
