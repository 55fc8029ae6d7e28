import { active } from './client/registry.ts';

/** A fetch-style request, as far as the library reads it. */
export interface FetchRequest {
  method: string;
  url: string;
  headers: object;
}

/** A fetch-style response, as far as the library reads it. */
export interface FetchResponse {
  status: number;
  headers: object;
}

/** Options of `withRequest`. */
export interface FetchOptions {
  /** Keeps the invocation alive until reports are sent, as platforms offer it. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

const FLUSH_MS = 2_000;

/** Wraps the handler of a fetch-style server. Its failure is reported and passed on. */
export function withRequest<
  Request extends FetchRequest,
  Rest extends unknown[],
  Response extends FetchResponse,
>(
  handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  options: FetchOptions = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const found = active();
    if (found === undefined) return handler(request, ...rest);
    const { method, url, headers } = request;
    try {
      return await found.withRequest({ method, url, headers }, async () => {
        const response = await handler(request, ...rest);
        found.finishRequest({ status: response.status, headers: response.headers });
        return response;
      });
    } finally {
      options.waitUntil?.(found.flush(FLUSH_MS));
    }
  };
}

export { relay } from './relay/mounts/fetch.ts';
