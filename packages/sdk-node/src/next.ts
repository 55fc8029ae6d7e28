import { active } from './client/registry.ts';

/** The request as Next.js passes it to `onRequestError`. */
export interface NextRequest {
  path?: string;
  method?: string;
  headers?: object;
}

/** The context as Next.js passes it to `onRequestError`. */
export interface NextErrorContext {
  routePath?: string;
}

/** Reports the error of a request of Next.js. In `instrumentation.ts`: `export { onRequestError } from '@culprit/node/next'`. */
export function onRequestError(
  error: unknown,
  request: NextRequest = {},
  context: NextErrorContext = {},
): void {
  try {
    active()?.captureFrameworkError(error, {
      framework: 'nextjs',
      routeTemplate: context.routePath ?? null,
      request: { method: request.method, url: request.path, headers: request.headers },
    });
  } catch {
    // The host's error is what matters.
  }
}

export { GET, OPTIONS, POST, relay } from './relay/mounts/next.ts';
