import type { Implementation, RequestInfo } from './client/implementation.ts';
import { active } from './client/registry.ts';

/** The symbols under which the runtime notes that a handler writes to a stream. */
const STREAMING = ['aws.lambda.runtime.handler.streaming', 'aws.lambda.runtime.handler.highWaterMark'].map(
  (name) => Symbol.for(name),
);
const FLUSH_MS = 2_000;
/** The time that is left for the report when the platform is about to end an invocation. */
const BEFORE_END_MS = 500;
/** The time that is left for the answer. */
const ANSWER_MS = 100;

/**
 * `export const handler = withLambda(async (event, context) => …)`. Reports a failure and passes it on, and sends what
 * waits before the platform freezes the process, or half a second before it ends the invocation, which is reported as
 * well. A handler that answers HTTP gets a request, any other one a job. One that calls back becomes one of a promise;
 * one that writes to a stream stays that.
 */
export function withLambda<Parameters extends unknown[], Result>(
  handler: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Promise<Awaited<Result>> {
  const isStreaming = STREAMING.some((mark) => Reflect.get(handler, mark) !== undefined);
  const wrapped = async (...parameters: Parameters): Promise<Awaited<Result>> => {
    const found = active();
    if (found === undefined) return resultOf(handler, parameters, isStreaming);
    const context = parameters[isStreaming ? 2 : 1];
    const request = requestOf(parameters[0]);
    const run = async () => {
      const stopWatch = watchEnd(found, context);
      try {
        return await resultOf(handler, parameters, isStreaming);
      } finally {
        stopWatch();
      }
    };
    try {
      if (request === null) return await found.withJob(nameOf(context), run, () => flushMs(context));
      return await found.withRequest(request, async () => {
        const result = await run();
        const status = memberOf(result, 'statusCode');
        if (typeof status === 'number') found.finishRequest({ status });
        return result;
      });
    } finally {
      if (found.getDiagnostics().waiting > 0) await found.flush(flushMs(context));
    }
  };
  for (const mark of STREAMING) {
    const value: unknown = Reflect.get(handler, mark);
    if (value !== undefined) Reflect.set(wrapped, mark, value);
  }
  return wrapped;
}

/**
 * Adds the invocation to the scope, and reports one that the platform is about to end. Returns the function that stops
 * this.
 */
function watchEnd(found: Implementation, context: unknown): () => void {
  const scope = found.currentScope();
  const requestId = textOf(context, 'awsRequestId');
  const version = textOf(context, 'functionVersion');
  if (requestId !== null) scope.setContext('lambda', { request_id: requestId, function_version: version });
  const leftMs = remainingMs(context);
  if (leftMs === null) return () => {};
  const timer = setTimeout(
    () => {
      const error = new Error(`${nameOf(context)} did not end in its time`);
      error.name = 'LambdaTimeout';
      // The stack of the timer does not show where the handler is.
      error.stack = `${error.name}: ${error.message}`;
      found.captureException(error, { handled: false });
      void found.flush(flushMs(context));
    },
    Math.max(0, leftMs - Math.min(BEFORE_END_MS, leftMs / 2)),
  );
  timer.unref();
  return () => clearTimeout(timer);
}

/** The platform would end a longer one, and with it the invocation. */
function flushMs(context: unknown): number {
  return Math.max(0, Math.min(FLUSH_MS, (remainingMs(context) ?? Number.POSITIVE_INFINITY) - ANSWER_MS));
}

function remainingMs(context: unknown): number | null {
  const read = memberOf(context, 'getRemainingTimeInMillis');
  if (typeof read !== 'function') return null;
  try {
    const leftMs: unknown = Reflect.apply(read, context, []);
    return typeof leftMs === 'number' && Number.isFinite(leftMs) ? leftMs : null;
  } catch {
    // The function of the host, or of its tests, failed.
    return null;
  }
}

function nameOf(context: unknown): string {
  return textOf(context, 'functionName') ?? 'lambda';
}

/** Also of a handler that calls back. */
async function resultOf<Parameters extends unknown[], Result>(
  handler: (...parameters: Parameters) => Result,
  parameters: Parameters,
  isStreaming: boolean,
): Promise<Awaited<Result>> {
  if (isStreaming || handler.length < 3) {
    const result = await handler(...parameters);
    return result;
  }
  return new Promise<Awaited<Result>>((resolve, reject) => {
    const callback = (error: unknown, result: Awaited<Result>) =>
      error === null || error === undefined ? resolve(result) : reject(error);
    const returned = Reflect.apply(handler, undefined, [parameters[0], parameters[1], callback]);
    if (typeof memberOf(returned, 'then') === 'function') {
      Promise.resolve(returned).then(resolve, reject);
    }
  });
}

/** The request of an event of API Gateway, of a load balancer or of a function address; null for other events. */
function requestOf(event: unknown): RequestInfo | null {
  const http = memberOf(memberOf(event, 'requestContext'), 'http');
  const method = textOf(http, 'method') ?? textOf(event, 'httpMethod');
  const path = textOf(event, 'rawPath') ?? textOf(event, 'path') ?? textOf(http, 'path');
  if (method === null || path === null) return null;
  const headers = memberOf(event, 'headers');
  const resource = textOf(event, 'resource') ?? /^[A-Z]+ (\/.*)$/.exec(textOf(event, 'routeKey') ?? '')?.[1];
  return {
    method,
    url: `${path}${queryOf(event)}`,
    headers: typeof headers === 'object' && headers !== null ? lowerCased(headers) : undefined,
    routeTemplate: resource?.includes('{') === true ? resource : undefined,
  };
}

function queryOf(event: unknown): string {
  const raw = textOf(event, 'rawQueryString');
  const members =
    memberOf(event, 'multiValueQueryStringParameters') ?? memberOf(event, 'queryStringParameters');
  const query =
    raw ??
    new URLSearchParams(
      Object.entries(Object(members)).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, String(each)]),
      ),
    ).toString();
  return query === '' ? '' : `?${query}`;
}

function lowerCased(headers: object): object {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string | null {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : null;
}
