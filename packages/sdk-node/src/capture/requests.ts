import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '../scope/exchange.ts';
import { type Scopes, Unit } from '../scope/scopes.ts';
import type { Recorder } from './recorder.ts';
import { read, type Subscriptions } from './subscriptions.ts';

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
 */
export function watchRequests(
  subscriptions: Subscriptions,
  scopes: Scopes,
  recorder: Recorder,
  now: () => number,
  isOwnPath: (target: string) => boolean,
  onFirst: () => void,
): void {
  let isSeen = false;
  subscriptions.channel('http.server.request.start', (message) => {
    const request = read(message, 'request');
    const response = read(message, 'response');
    if (!isRequest(request) || !isResponse(response) || isOwnPath(request.url ?? '/')) return;
    if (!isSeen) onFirst();
    isSeen = true;
    const startedAt = performance.now();
    const scope = scopes.enter(new Unit('request', new NodeExchange(request, response, now())));
    const onClose = subscriptions.guarded(() => {
      const isSent = response.writableFinished;
      recorder.finishRequest(scope, {
        status: isSent ? response.statusCode : null,
        headers: isSent ? response.getHeaders() : null,
        error: isSent ? null : response.errored,
        durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
      });
    });
    response.on('close', onClose);
  });
}

function isRequest(value: unknown): value is IncomingMessage {
  return typeof read(value, 'url') === 'string' && Array.isArray(read(value, 'rawHeaders'));
}

function isResponse(value: unknown): value is ServerResponse {
  return typeof read(value, 'on') === 'function' && typeof read(value, 'getHeaders') === 'function';
}
