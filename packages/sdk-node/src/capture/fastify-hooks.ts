import { errorMonitor } from 'node:events';
import { Stream } from 'node:stream';
import { attempt } from '../client/attempt.ts';
import type { OpenRequest, RequestInfo, ResponseInfo } from '../client/implementation.ts';
import { active } from '../client/registry.ts';
import { read, readText } from './subscriptions.ts';

const LAST_FLUSH_MS = 2_000;
const instrumented = new WeakSet<object>();

/** Adds to an instance of Fastify one hook that reports errors and one that flushes when it closes. */
export function instrumentFastify(instance: object): void {
  const addHook = read(instance, 'addHook');
  if (instrumented.has(instance) || typeof addHook !== 'function') return;
  instrumented.add(instance);
  const version = readText(instance, 'version');
  const report = (request: unknown, error: unknown) =>
    // The host's error is what matters.
    attempt(() =>
      active()?.captureFrameworkError(error, {
        framework: 'fastify',
        ...(version === null ? {} : { frameworkVersion: version }),
        routeTemplate: readText(read(request, 'routeOptions'), 'url') ?? readText(request, 'routerPath'),
        body: read(request, 'body'),
        request: requestOf(request),
      }),
    );
  const onError = (request: unknown, _reply: unknown, error: unknown, done: () => void) => {
    report(request, error);
    done();
  };
  // Fastify calls no hook when a stream breaks after the answer has begun.
  const onSend = (request: unknown, _reply: unknown, payload: unknown, done: () => void) => {
    if (payload instanceof Stream) payload.once(errorMonitor, (error: unknown) => report(request, error));
    done();
  };
  const opened = new WeakMap<object, OpenRequest>();
  // Calls of `inject` and of platforms without a server come by no channel.
  const onRequest = (request: object, _reply: unknown, done: () => void) => {
    const open = attempt(() => active()?.openRequest(requestOf(request))) ?? null;
    if (open === null) return done();
    opened.set(request, open);
    open.run(done);
  };
  const onResponse = (request: object, reply: unknown, done: () => void) => {
    attempt(() => opened.get(request)?.finish(responseOf(reply)));
    done();
  };
  const onClose = (_instance: unknown, done: () => void) => {
    const flushed = active()?.flush(LAST_FLUSH_MS) ?? Promise.resolve(true);
    flushed.then(
      () => done(),
      () => done(),
    );
  };
  Reflect.apply(addHook, instance, ['onRequest', onRequest]);
  Reflect.apply(addHook, instance, ['onResponse', onResponse]);
  Reflect.apply(addHook, instance, ['onSend', onSend]);
  Reflect.apply(addHook, instance, ['onError', onError]);
  Reflect.apply(addHook, instance, ['onClose', onClose]);
}

function requestOf(request: unknown): RequestInfo {
  const headers = read(request, 'headers');
  return {
    method: readText(request, 'method') ?? undefined,
    url: readText(request, 'originalUrl') ?? readText(request, 'url') ?? undefined,
    headers: typeof headers === 'object' && headers !== null ? headers : undefined,
  };
}

function responseOf(reply: unknown): ResponseInfo {
  const status = read(reply, 'statusCode');
  const getHeaders = read(reply, 'getHeaders');
  const headers: unknown = typeof getHeaders === 'function' ? Reflect.apply(getHeaders, reply, []) : null;
  return {
    status: typeof status === 'number' ? status : undefined,
    headers: typeof headers === 'object' && headers !== null ? headers : undefined,
  };
}
