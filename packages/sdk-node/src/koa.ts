import { statusOfError } from './capture/error-verdict.ts';
import { type ExpressRequest, expressRequest } from './capture/express-errors.ts';
import { attempt } from './client/attempt.ts';
import { active } from './client/registry.ts';

/** The context that a middleware of Koa receives, as far as the library reads it. */
export interface KoaContext extends ExpressRequest {
  app?: { on(event: 'error', listener: (error: unknown, context?: object) => void): unknown };
  request?: { body?: unknown };
  status?: unknown;
  response?: { headers?: object };
  _matchedRoute?: unknown;
}

const watched = new WeakSet<object>();

/**
 * `app.use(middleware())` before the routes, and after an error handler of the application's own. Reports an error and
 * throws it again, so Koa handles it as ever; what another middleware has caught is reported when it is emitted.
 */
export function middleware(): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  const thrown = new WeakSet<object>();
  return async (context, next) => {
    watchEmitted(context, thrown);
    const open = attempt(() => active()?.openRequest(expressRequest(context))) ?? null;
    let failed: number | null = null;
    try {
      await (open === null ? next() : open.run(next));
      attempt(() => active()?.setRoute(routeOf(context), 'koa'));
    } catch (error) {
      thrown.add(context);
      // Koa sets the status later.
      failed = statusOfError(error) ?? 500;
      const capture = () => report(error, context);
      attempt(() => (open === null ? capture() : open.run(capture)));
      throw error;
    } finally {
      attempt(() =>
        open?.finish({ status: failed ?? statusOf(context), headers: context.response?.headers }),
      );
    }
  };
}

/**
 * Listens to the errors that the application emits as `error`. Not before its first request: an earlier listener would
 * count as the application's own, and Koa would no longer print anything.
 */
function watchEmitted({ app }: KoaContext, thrown: WeakSet<object>): void {
  if (typeof app !== 'object' || app === null || watched.has(app)) return;
  watched.add(app);
  attempt(() =>
    app.on('error', (error, context) => {
      // Koa emits the thrown value, in a new Error when it was none.
      if (context === undefined || !thrown.has(context)) attempt(() => report(error, context ?? {}));
    }),
  );
}

function report(error: unknown, context: KoaContext): void {
  active()?.captureFrameworkError(error, {
    framework: 'koa',
    routeTemplate: routeOf(context),
    body: context.request?.body,
    request: expressRequest(context),
  });
}

function statusOf({ status }: KoaContext): number | undefined {
  return typeof status === 'number' ? status : undefined;
}

/** Returns the route in the form in which the common routers of Koa leave it. */
function routeOf(context: KoaContext): string | null {
  return typeof context._matchedRoute === 'string' ? context._matchedRoute : null;
}

export { relay } from './relay/mounts/koa.ts';
