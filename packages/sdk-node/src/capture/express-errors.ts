import type { RequestInfo } from '../client/implementation.ts';
import { active } from '../client/registry.ts';

/** The request that an error handler of Express receives, as far as the library reads it. */
export interface ExpressRequest {
  method?: unknown;
  originalUrl?: unknown;
  url?: unknown;
  headers?: unknown;
  baseUrl?: unknown;
  route?: unknown;
  body?: unknown;
}

/** @param route as the request has it, or as the channel of the router does */
export function captureExpressError(error: unknown, request: ExpressRequest, route: unknown): void {
  active()?.captureFrameworkError(error, {
    framework: 'express',
    routeTemplate: expressRoute(request.baseUrl, route),
    body: request.body,
    request: expressRequest(request),
  });
}

/** The template of an Express route; whether it fits the path is judged later. */
export function expressRoute(baseUrl: unknown, route: unknown): string | null {
  // The channel of the router has the path itself, a request has the route.
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : route;
  if (typeof path !== 'string') return null;
  return `${typeof baseUrl === 'string' ? baseUrl : ''}${path}`;
}

/** Returns the description of a request of Express, Koa or Fastify that no channel has reported. */
export function expressRequest({ method, originalUrl, url, headers }: ExpressRequest): RequestInfo {
  return {
    method: typeof method === 'string' ? method : undefined,
    url: [originalUrl, url].find((each) => typeof each === 'string'),
    headers: typeof headers === 'object' && headers !== null ? headers : undefined,
  };
}
