import { expressRequest } from './capture/express-errors.ts';
import { attempt } from './client/attempt.ts';
import { active } from './client/registry.ts';

/** A server of hapi, as far as a plugin needs it. hapi has types of its own for both parameters. */
export interface HapiServer {
  ext(event: 'onPreResponse', method: (request: object, toolkit: object) => symbol): unknown;
}

/** `await server.register(plugin)` before plugins that answer errors. Reports the errors that hapi is about to answer. */
export const plugin = {
  name: '@culprit/node',
  register(server: HapiServer): void {
    server.ext('onPreResponse', (request: unknown, toolkit: unknown) => {
      attempt(() => report(Object(request)));
      return Reflect.get(Object(toolkit), 'continue');
    });
  },
};

function report(request: object): void {
  const error: unknown = Reflect.get(request, 'response');
  if (!(error instanceof Error)) {
    active()?.setRoute(routeOf(request), 'hapi');
    return;
  }
  const url: unknown = Reflect.get(request, 'url');
  active()?.captureFrameworkError(error, {
    framework: 'hapi',
    routeTemplate: routeOf(request),
    body: Reflect.get(request, 'payload') ?? undefined,
    request: {
      ...expressRequest(request),
      url: `${Reflect.get(Object(url), 'pathname') ?? '/'}${Reflect.get(Object(url), 'search') ?? ''}`,
    },
  });
}

/** `/orders/{id}`; the server's own answer to unknown paths has none. */
function routeOf(request: object): string | null {
  const path: unknown = Reflect.get(Object(Reflect.get(request, 'route')), 'path');
  return typeof path === 'string' && path.startsWith('/') && path !== '/{p*}' ? path : null;
}
