import { active } from './client/registry.ts';

/** What an error handler of Express is given, as far as the library reads it. */
export interface ExpressRequest {
  baseUrl?: unknown;
  route?: unknown;
  body?: unknown;
}

/**
 * For Express 4 and 5.0 to 5.2: `app.use(errorHandler())` after the routes. Reports the error and passes it on, so what
 * Express does with it stays as it is. Express 5.3 and newer need no line.
 */
export function errorHandler(): (
  error: unknown,
  request: ExpressRequest,
  response: unknown,
  next: (error: unknown) => void,
) => void {
  return (error, request, _response, next) => {
    try {
      active()?.captureFrameworkError(error, {
        framework: 'express',
        routeTemplate: expressRoute(request.baseUrl, request.route),
        body: request.body,
      });
    } catch {
      // The host's error is what matters.
    }
    next(error);
  };
}

/** The template of an Express route; whether it fits the path is judged later. */
export function expressRoute(baseUrl: unknown, route: unknown): string | null {
  // The channel of the router has the path itself, a request has the route.
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : route;
  if (typeof path !== 'string') return null;
  return `${typeof baseUrl === 'string' ? baseUrl : ''}${path}`;
}

export { relay } from './relay/mounts/express.ts';
