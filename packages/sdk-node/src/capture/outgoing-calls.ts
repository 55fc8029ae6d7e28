import type { ClientRequest } from 'node:http';
import { read, readText, type Subscriptions } from './subscriptions.ts';

/** A finished call to another service. */
export interface OutgoingCall {
  method: string;
  /** Without query, fragment and user-info. */
  url: string;
  /** Name and port. */
  host: string;
  /** Null when no answer came. */
  status: number | null;
  durationMs: number;
  /** The code of the error. */
  failureReason: string | null;
}

/** The functions of the client that handle calls; `Scope` is the unit of work that made the call. */
interface OutgoingSink<Scope> {
  currentScope(): Scope;
  /** Returns true if the library makes the call; receives the request itself if it is one of `node:http`. */
  isOwn(request: ClientRequest | null): boolean;
  /** The headers that continue the trace at this address; empty when it is no target. */
  traceHeaders(scope: Scope, url: string): Readonly<Record<string, string>>;
  finished(scope: Scope, call: OutgoingCall): void;
  now(): number;
}

interface Started<Scope> {
  scope: Scope;
  at: number;
}

/** Watches calls made with `node:http`, `node:https` and `fetch`, through the channels that Node publishes. */
export function watchOutgoingCalls<Scope>(subscriptions: Subscriptions, sink: OutgoingSink<Scope>): void {
  watchNodeHttp(subscriptions, sink);
  watchFetch(subscriptions, sink);
}

function watchNodeHttp<Scope>(subscriptions: Subscriptions, sink: OutgoingSink<Scope>): void {
  const calls = new WeakMap<ClientRequest, Started<Scope>>();
  const start = (request: ClientRequest): Started<Scope> | undefined => {
    if (calls.has(request) || sink.isOwn(request)) return undefined;
    const started = { scope: sink.currentScope(), at: sink.now() };
    calls.set(request, started);
    return started;
  };
  const finish = (request: ClientRequest, status: number | null, error: unknown) => {
    const started = calls.get(request);
    if (started === undefined) return;
    calls.delete(request);
    const address = splitAddress(addressOf(request));
    if (address === null) return;
    sink.finished(started.scope, {
      method: request.method,
      ...address,
      status,
      durationMs: sink.now() - started.at,
      failureReason: status === null ? codeOf(error) : null,
    });
  };
  // Since Node 22.12, and only here headers can still be added.
  subscriptions.channel('http.client.request.created', (message) => {
    const request = clientRequestOf(message);
    const started = request && start(request);
    if (request === undefined || started === undefined || request.headersSent) return;
    for (const [name, value] of Object.entries(sink.traceHeaders(started.scope, addressOf(request)))) {
      if (!request.hasHeader(name)) request.setHeader(name, value);
    }
  });
  subscriptions.channel('http.client.request.start', (message) => {
    const request = clientRequestOf(message);
    if (request !== undefined) start(request);
  });
  subscriptions.channel('http.client.response.finish', (message) => {
    const request = clientRequestOf(message);
    const status = read(read(message, 'response'), 'statusCode');
    if (request !== undefined) finish(request, typeof status === 'number' ? status : null, null);
  });
  subscriptions.channel('http.client.request.error', (message) => {
    const request = clientRequestOf(message);
    if (request !== undefined) finish(request, null, read(message, 'error'));
  });
}

function watchFetch<Scope>(subscriptions: Subscriptions, sink: OutgoingSink<Scope>): void {
  const calls = new WeakMap<object, Started<Scope>>();
  const finish = (message: unknown, status: number | null, error: unknown) => {
    const request = read(message, 'request');
    if (typeof request !== 'object' || request === null) return;
    // `…headers` may run in another context than the call, so the scope is the one of its creation.
    const started = calls.get(request);
    const address = started && splitAddress(fetchAddress(request));
    if (started === undefined || !address) return;
    calls.delete(request);
    sink.finished(started.scope, {
      method: readText(request, 'method') ?? 'GET',
      ...address,
      status,
      durationMs: sink.now() - started.at,
      failureReason: status === null ? codeOf(error) : null,
    });
  };
  subscriptions.channel('undici:request:create', (message) => {
    const request = read(message, 'request');
    if (typeof request !== 'object' || request === null || sink.isOwn(null)) return;
    const scope = sink.currentScope();
    calls.set(request, { scope, at: sink.now() });
    const add = read(request, 'addHeader');
    if (typeof add !== 'function') return;
    for (const [name, value] of Object.entries(sink.traceHeaders(scope, fetchAddress(request)))) {
      if (!hasHeader(read(request, 'headers'), name)) Reflect.apply(add, request, [name, value]);
    }
  });
  subscriptions.channel('undici:request:headers', (message) => {
    const status = read(read(message, 'response'), 'statusCode');
    finish(message, typeof status === 'number' ? status : null, null);
  });
  subscriptions.channel('undici:request:error', (message) => finish(message, null, read(message, 'error')));
}

/** Only what Node itself publishes has this form; anything else on the channel is left alone. */
function clientRequestOf(message: unknown): ClientRequest | undefined {
  const request = read(message, 'request');
  return isClientRequest(request) ? request : undefined;
}

function isClientRequest(value: unknown): value is ClientRequest {
  return typeof read(value, 'setHeader') === 'function' && typeof read(value, 'path') === 'string';
}

function addressOf(request: ClientRequest): string {
  const host = request.getHeader('host') ?? request.host;
  return `${request.protocol}//${String(host)}${request.path}`;
}

function fetchAddress(request: object): string {
  const origin = read(request, 'origin');
  return `${typeof origin === 'string' ? origin : String(origin)}${readText(request, 'path') ?? '/'}`;
}

/** The parts of an address that may be sent. */
function splitAddress(text: string): { url: string; host: string } | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname } = new URL(text);
  return { url: `${protocol}//${host}${pathname}`, host };
}

/** undici keeps headers as one text or as a list of names and values. */
function hasHeader(headers: unknown, name: string): boolean {
  if (typeof headers === 'string')
    return headers.toLowerCase().includes(`\n${name}:`) || headers.toLowerCase().startsWith(`${name}:`);
  if (!Array.isArray(headers)) return false;
  return headers.some((entry, at) => at % 2 === 0 && String(entry).toLowerCase() === name);
}

function codeOf(error: unknown): string {
  const code = readText(error, 'code') ?? readText(read(error, 'cause'), 'code') ?? readText(error, 'name');
  return code?.slice(0, 100) ?? 'error';
}
