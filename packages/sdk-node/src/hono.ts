import { attempt } from './client/attempt.ts';
import type { RequestInfo } from './client/implementation.ts';
import { active } from './client/registry.ts';

/** The context that a middleware of Hono receives, as far as the library reads it. */
export interface HonoContext {
  error?: Error | undefined;
  req: object;
  res?: { status: number; headers: object } | undefined;
}

/** `app.use(middleware())` before everything else. Reads the error that Hono has already answered. */
export function middleware(): (context: HonoContext, next: () => Promise<void>) => Promise<void> {
  return async (context, next) => {
    const open = attempt(() => active()?.openRequest(requestOf(context))) ?? null;
    // Only what is no Error is thrown as far as this.
    let thrown: { value: unknown } | null = null;
    try {
      await (open === null ? next() : open.run(next));
    } catch (value) {
      thrown = { value };
      throw value;
    } finally {
      const read = () => readAnswer(context, thrown === null ? context.error : thrown.value);
      attempt(() => (open === null ? read() : open.run(read)));
      const status = thrown === null ? context.res?.status : 500;
      attempt(() => open?.finish({ status, headers: context.res?.headers }));
    }
  };
}

function readAnswer(context: HonoContext, error: unknown): void {
  const route = routeOf(context);
  active()?.setRoute(route, 'hono');
  if (error === undefined) return;
  active()?.captureFrameworkError(error, {
    framework: 'hono',
    routeTemplate: route,
    request: requestOf(context),
  });
}

/** Returns the facts of the fetch-style request below. */
function requestOf({ req }: HonoContext): RequestInfo {
  const raw: unknown = Reflect.get(req, 'raw');
  const url: unknown = Reflect.get(Object(raw), 'url');
  const method: unknown = Reflect.get(Object(raw), 'method');
  const headers: unknown = Reflect.get(Object(raw), 'headers');
  return {
    method: typeof method === 'string' ? method : undefined,
    url: typeof url === 'string' ? url : undefined,
    headers: typeof headers === 'object' && headers !== null ? headers : undefined,
  };
}

/** The pattern of the last handler that matched; those before it are middlewares. */
function routeOf(context: HonoContext): string | null {
  const routes: unknown = Reflect.get(context.req, 'matchedRoutes');
  if (!Array.isArray(routes)) return null;
  const paths = routes.map((route: unknown) =>
    typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined,
  );
  const path: unknown = paths.findLast(
    (candidate) => typeof candidate === 'string' && !candidate.endsWith('*'),
  );
  return typeof path === 'string' ? path : null;
}

export { relay } from './relay/mounts/hono.ts';
