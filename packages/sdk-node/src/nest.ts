import { isClientError } from './capture/error-verdict.ts';
import { expressRequest, expressRoute } from './capture/express-errors.ts';
import { attempt } from './client/attempt.ts';
import { active } from './client/registry.ts';

/** The context of a call as Nest passes it, as far as the library reads it. */
interface CallContext {
  getType(): string;
  switchToHttp(): { getRequest(): unknown };
}

interface Observer {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

interface Source {
  subscribe(observer: Observer): unknown;
}

/** A module as Nest takes it from a function. */
export interface NestModule {
  module: new () => object;
  providers: { provide: string; useValue: object }[];
}

/** Nest names modules by their class. */
class CulpritModule {}

/**
 * `imports: [culpritModule()]` in the module of the application. Reports what handlers, pipes, guards and middleware
 * throw, and leaves the answer to Nest and to the filters of the application.
 */
export function culpritModule(): NestModule {
  const providers: NestModule['providers'] = [
    { provide: 'APP_INTERCEPTOR', useValue: new ErrorInterceptor() },
  ];
  // Nest reads the classes of a filter by the metadata that its own decorator writes.
  const define: unknown = Reflect.get(Reflect, 'defineMetadata');
  if (typeof define === 'function') {
    Reflect.apply(define, Reflect, ['__filterCatchExceptions__', [EVERY_ERROR], ErrorFilter]);
    providers.push({ provide: 'APP_FILTER', useValue: new ErrorFilter() });
  }
  return { module: CulpritModule, providers };
}

/** Reports what a handler or a pipe throws, also where a filter of the application answers it. */
class ErrorInterceptor {
  intercept(context: CallContext, next: { handle(): Source }): object {
    const subscribe = (observer: Observer) =>
      next.handle().subscribe({
        next: (value) => observer.next(value),
        error: (error) => {
          attempt(() => report(error, context));
          observer.error(error);
        },
        complete: () => observer.complete(),
      });
    // What every version of RxJS takes for an observable of another copy.
    const interop = () => ({ subscribe });
    return { [Reflect.get(Symbol, 'observable') ?? '@@observable']: interop, '@@observable': interop };
  }
}

/** The class of a filter to which no error belongs: Nest asks it, and an error that is asked about was thrown. */
const EVERY_ERROR = {
  [Symbol.hasInstance](error: unknown): boolean {
    // Guards and middleware throw past every interceptor. Their request is the current one.
    attempt(() => report(error, null));
    return false;
  },
};

/** Catches nothing, and looks at everything that no filter before it has caught. */
class ErrorFilter {
  catch(): void {}
}

function report(error: unknown, context: CallContext | null): void {
  const type = context?.getType() ?? 'http';
  const request = context === null || type !== 'http' ? null : Object(context.switchToHttp().getRequest());
  if (isForCaller(error) || (type !== 'http' && isClientError(error))) return;
  active()?.captureFrameworkError(error, {
    framework: 'nestjs',
    isExpected: type === 'http',
    ...(request === null
      ? {}
      : {
          routeTemplate: routeOf(request),
          body: Reflect.get(request, 'body'),
          request: expressRequest(request),
        }),
  });
}

/** Whether an error is the answer to a message or a query, by the classes for that. */
function isForCaller(error: unknown): boolean {
  for (let type: unknown = Object(error); type !== null; type = Object.getPrototypeOf(type)) {
    const name: unknown = Object(Reflect.get(Object(type), 'constructor')).name;
    if (name === 'RpcException' || name === 'WsException' || name === 'GraphQLError') return true;
  }
  return false;
}

/** As Express or Fastify below has it. */
function routeOf(request: object): string | null {
  const options: unknown = Reflect.get(request, 'routeOptions');
  const url: unknown = Reflect.get(Object(options), 'url');
  if (typeof url === 'string') return url;
  return expressRoute(Reflect.get(request, 'baseUrl'), Reflect.get(request, 'route'));
}
