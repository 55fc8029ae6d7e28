import { expressRequest } from './capture/express-errors.ts';
import { attempt } from './client/attempt.ts';
import { active } from './client/registry.ts';

/** A server of hapi, as far as a plugin needs it. hapi has separate types for both parameters. */
export interface HapiServer {
  ext(event: 'onPreResponse', method: (request: object, toolkit: object) => symbol): unknown;
  events: {
    on(
      criteria: { name: 'request'; channels: 'internal' },
      listener: (request: object, event: object, tags: object) => void,
    ): unknown;
  };
}

/** `await server.register(plugin)`. Reports the errors that hapi, or the application, is about to answer. */
export const plugin = {
  name: '@culprit/node',
  register(server: HapiServer): void {
    // The listener is called at the throw, before an earlier `onPreResponse` of the application answers it.
    server.events.on({ name: 'request', channels: 'internal' }, (request, event) => {
      attempt(() => report(request, Reflect.get(event, 'error')));
    });
    server.ext('onPreResponse', (request: unknown, toolkit: unknown) => {
      attempt(() => reportAnswer(Object(request)));
      return Reflect.get(Object(toolkit), 'continue');
    });
  },
};

function reportAnswer(request: object): void {
  active()?.setRoute(routeOf(request), 'hapi');
  report(request, Reflect.get(request, 'response'));
}

function report(request: object, error: unknown): void {
  if (!(error instanceof Error)) return;
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
