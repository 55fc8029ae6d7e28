import { captureExpressError, type ExpressRequest } from './capture/express-errors.ts';

export type { ExpressRequest };

/**
 * For Express 4 and 5.0 to 5.2: `app.use(errorHandler())` after the routes. Reports the error and passes it on, so the
 * behaviour of Express stays unchanged. Express 5.3 and newer need no line.
 */
export function errorHandler(): (
  error: unknown,
  request: ExpressRequest,
  response: unknown,
  next: (error: unknown) => void,
) => void {
  return (error, request, _response, next) => {
    try {
      captureExpressError(error, request, request.route);
    } catch {
      // The host's error is what matters.
    }
    next(error);
  };
}

export { relay } from './relay/mounts/express.ts';
