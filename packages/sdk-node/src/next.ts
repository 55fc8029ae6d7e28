import { active } from './client/registry.ts';
import { pathOf } from './scope/exchange.ts';

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
      routeTemplate: nextRoute(context.routePath, request.path),
      // Whatever was answered: a page that fails while it streams has answered 200 already.
      isExpected: false,
      isMetLate: true,
      request: { method: request.method, url: request.path, headers: request.headers },
    });
  } catch {
    // The host's error is what matters.
  }
}

/**
 * Returns the template of a route with the part of the path before it: `basePath`, a language. Groups and slots are
 * folders that no path has, and if a page is prerendered its file is named as well.
 */
function nextRoute(routePath: string | undefined, path: string | undefined): string | null {
  if (typeof routePath !== 'string') return null;
  const named = segmentsOf(routePath).filter((segment) => !/^(?:\(.*\)|@.*)$/.test(segment));
  const asked = segmentsOf(pathOf(path ?? '/'));
  const last = named.at(-1) ?? '';
  const route = /^(?:page|route)$/.test(last) && last !== asked.at(-1) ? named.slice(0, -1) : named;
  const before = asked.length - route.length;
  const fits =
    before >= 0 &&
    route.every((segment, index) => segment.startsWith('[') || segment === asked[before + index]);
  return `/${[...(fits ? asked.slice(0, before) : []), ...route].join('/')}`;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

export { GET, OPTIONS, POST, relay } from './relay/mounts/next.ts';
