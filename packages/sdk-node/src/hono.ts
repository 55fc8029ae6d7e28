import { active } from './client/registry.ts';

/** What a middleware of Hono is given, as far as the library reads it. */
export interface HonoContext {
  error?: Error | undefined;
  req: object;
}

/** `app.use(middleware())` before everything else. Reads the error that Hono has already answered. */
export function middleware(): (context: HonoContext, next: () => Promise<void>) => Promise<void> {
  return async (context, next) => {
    await next();
    try {
      const route = routeOf(context);
      active()?.setRoute(route, 'hono');
      if (context.error !== undefined) {
        active()?.captureFrameworkError(context.error, { framework: 'hono', routeTemplate: route });
      }
    } catch {
      // The host's response is what matters.
    }
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
