import type { IncomingMessage, ServerResponse } from 'node:http';
import { attempt } from '../client/attempt.ts';
import type { Exchange } from '../scope/exchange.ts';
import { type Scope, type Scopes, Unit } from '../scope/scopes.ts';
import type { Recorder } from './recorder.ts';
import { read, type Subscriptions } from './subscriptions.ts';

/** The longest time for which a request that began before the library is the scope of the process. */
const EARLY_MS = 30_000;
/** For what it leaves to be done after its answer. */
const REST_MS = 1_000;

/** A request of `node:http`. */
class NodeExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly startedAtMs: number;
  #request: Pick<IncomingMessage, 'headers'>;
  #response: Pick<ServerResponse, 'headersSent'> | null;

  constructor(request: IncomingMessage, response: ServerResponse, nowMs: number) {
    this.method = request.method ?? 'GET';
    this.target = request.url ?? '/';
    this.startedAtMs = nowMs;
    this.#request = request;
    this.#response = response;
  }

  requestHeader(name: string): string | null {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : null;
  }

  requestHeaders(): object {
    return this.#request.headers;
  }

  isAnswering(): boolean {
    return this.#response?.headersSent === true;
  }

  release(): void {
    this.#response = null;
    const { headers } = this.#request;
    this.#request = { headers };
  }
}

/**
 * Gives every request of `node:http` a scope before the host's listener runs, and ends it with the response
 * (docs/contract/clients.md 4.1). Nothing is copied, and nothing but the storage and the response refer to the scope,
 * which may live as long as a timer, a pool or a cache that the request has started: 2.3.
 * @param onFirst a request was seen
 * @param schedule a timer, and what stops it
 */
export function watchRequests(
  subscriptions: Subscriptions,
  scopes: Scopes,
  recorder: Recorder,
  now: () => number,
  isOwnPath: (target: string) => boolean,
  onFirst: () => void,
  schedule: (delayMs: number, run: () => void) => () => void,
): void {
  let isSeen = false;
  const open = (
    request: unknown,
    response: unknown,
    start: (unit: Unit) => Scope,
    onEnd?: (scope: Scope) => void,
  ) => {
    if (!isRequest(request) || !isResponse(response) || isOwnPath(request.url ?? '/')) return;
    if (!isSeen) onFirst();
    isSeen = true;
    const startedAt = performance.now();
    const scope = start(new Unit('request', new NodeExchange(request, response, now())));
    const onClose = subscriptions.guarded(() => {
      const isSent = response.writableFinished;
      recorder.finishRequest(scope, {
        status: isSent ? response.statusCode : null,
        headers: isSent ? response.getHeaders() : null,
        error: isSent ? null : response.errored,
        durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
      });
      onEnd?.(scope);
    });
    response.on('close', onClose);
  };
  const enter = (unit: Unit) => scopes.enter(unit);
  subscriptions.channel('http.server.request.start', (message) => {
    open(read(message, 'request'), read(message, 'response'), enter);
  });
  const stands = (scope: Scope, limitMs: number) =>
    subscriptions.add(schedule(limitMs, () => scopes.dismiss(scope)));
  const adopt = (unit: Unit) => {
    const scope = scopes.scopeOf(unit);
    // Values set in the turn of `init` belong to the whole process.
    void Promise.resolve().then(() => scopes.adopt(scope));
    stands(scope, EARLY_MS);
    return scope;
  };
  for (const response of responsesUnderWay()) {
    open(read(response, 'req'), response, adopt, (scope) => stands(scope, REST_MS));
  }
}

/**
 * The answers of requests that began before the library: frameworks such as Next.js load what starts it within their
 * first request. Node has no other list of them than those of its open sockets, and of a server's connections for TLS.
 */
function responsesUnderWay(): unknown[] {
  return (
    attempt(() => {
      const handles = listFrom(process, '_getActiveHandles');
      const sockets = handles.flatMap((each) => [each, ...connectionsOf(each)]);
      const answers = new Set(sockets.map((socket) => read(socket, '_httpMessage')));
      return [...answers].filter((answer) => isResponse(answer) && isRequest(read(answer, 'req')));
    }) ?? []
  );
}

/** The sockets of a server; none for anything else. */
function connectionsOf(handle: unknown): unknown[] {
  const names = Object.getOwnPropertySymbols(Object(handle));
  const name = names.find(({ description }) => description === 'http.server.connections');
  if (name === undefined) return [];
  return listFrom(Reflect.get(Object(handle), name), 'all').map((parser) => read(parser, 'socket'));
}

/** The list that a method returns; an empty one where there is no such method. */
function listFrom(of: unknown, method: string): unknown[] {
  const get = read(of, method);
  const list: unknown = typeof get === 'function' ? Reflect.apply(get, of, []) : null;
  return Array.isArray(list) ? list : [];
}

function isRequest(value: unknown): value is IncomingMessage {
  return typeof read(value, 'url') === 'string' && Array.isArray(read(value, 'rawHeaders'));
}

function isResponse(value: unknown): value is ServerResponse {
  return typeof read(value, 'on') === 'function' && typeof read(value, 'getHeaders') === 'function';
}
