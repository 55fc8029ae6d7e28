import { active } from './client/registry.ts';

/** What a middleware of Koa is given, as far as the library reads it. */
export interface KoaContext {
  request?: { body?: unknown };
  _matchedRoute?: unknown;
}

/** `app.use(middleware())` before everything else. Reports an error and throws it again, so Koa handles it as ever. */
export function middleware(): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    try {
      await next();
      active()?.setRoute(routeOf(context), 'koa');
    } catch (error) {
      try {
        active()?.captureFrameworkError(error, {
          framework: 'koa',
          routeTemplate: routeOf(context),
          body: context.request?.body,
        });
      } catch {
        // The host's error is what matters.
      }
      throw error;
    }
  };
}

/** As the common routers of Koa leave it. */
function routeOf(context: KoaContext): string | null {
  return typeof context._matchedRoute === 'string' ? context._matchedRoute : null;
}

export { relay } from './relay/mounts/koa.ts';
