import type { RequestInfo } from './client/implementation.ts';
import { active } from './client/registry.ts';

/** Where the runtime notes that a handler writes to a stream. */
const STREAMING = ['aws.lambda.runtime.handler.streaming', 'aws.lambda.runtime.handler.highWaterMark'].map(
  (name) => Symbol.for(name),
);
const FLUSH_MS = 2_000;

/**
 * `export const handler = withLambda(async (event, context) => …)`. Reports a failure and passes it on, and sends what
 * waits before the platform freezes the process. A handler that answers HTTP gets a request, any other one a job. One
 * that calls back becomes one of a promise; one that writes to a stream stays that.
 */
export function withLambda<Parameters extends unknown[], Result>(
  handler: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Promise<Awaited<Result>> {
  const isStreaming = STREAMING.some((mark) => Reflect.get(handler, mark) !== undefined);
  const wrapped = async (...parameters: Parameters): Promise<Awaited<Result>> => {
    const found = active();
    const run = () => resultOf(handler, parameters, isStreaming);
    if (found === undefined) return run();
    const request = requestOf(parameters[0]);
    try {
      if (request === null) {
        const context = parameters[isStreaming ? 2 : 1];
        return await found.withJob(textOf(context, 'functionName') ?? 'lambda', run);
      }
      return await found.withRequest(request, async () => {
        const result = await run();
        const status = memberOf(result, 'statusCode');
        if (typeof status === 'number') found.finishRequest({ status });
        return result;
      });
    } finally {
      if (found.getDiagnostics().waiting > 0) await found.flush(FLUSH_MS);
    }
  };
  for (const mark of STREAMING) {
    const value: unknown = Reflect.get(handler, mark);
    if (value !== undefined) Reflect.set(wrapped, mark, value);
  }
  return wrapped;
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
