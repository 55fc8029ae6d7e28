import { isClientError } from './capture/error-verdict.ts';
import { expressRequest, expressRoute } from './capture/express-errors.ts';
import { attempt } from './client/attempt.ts';
import type { OpenJob } from './client/implementation.ts';
import { active } from './client/registry.ts';
import { reportErrors } from './graphql.ts';

/** The context of a call as Nest passes it, as far as the library reads it. */
interface CallContext {
  getType(): string;
  getClass(): { name: string };
  getHandler(): { name: string };
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

const FILTERS = '__exceptionFilters__';

/** Nest names modules by their class, and calls this before it makes the routes. */
class CulpritModule {
  configure(consumer: unknown): void {
    attempt(() => askFirst(Reflect.get(Object(Reflect.get(Object(consumer), 'routesMapper')), 'container')));
  }
}

/**
 * `imports: [culpritModule()]` in the module of the application. Reports what handlers, pipes, guards and middleware
 * throw, and leaves the answer to Nest and to the filters of the application.
 */
export function culpritModule(): NestModule {
  const providers: NestModule['providers'] = [
    { provide: 'APP_GUARD', useValue: new FirstGuard() },
    { provide: 'APP_INTERCEPTOR', useValue: new ErrorInterceptor() },
  ];
  // Nest reads filters and plugins by the metadata that its own decorators write.
  if (metadata('defineMetadata', '__filterCatchExceptions__', [EVERY_ERROR], ErrorFilter) !== null) {
    metadata('defineMetadata', 'graphql:plugin', true, ApolloPlugin);
    providers.push({ provide: 'APP_FILTER', useValue: FILTER });
    providers.push({ provide: 'CULPRIT_APOLLO_PLUGIN', useValue: new ApolloPlugin() });
  }
  return { module: CulpritModule, providers };
}

/** Calls a function of `reflect-metadata`, which Nest needs; null without it. */
function metadata(name: 'defineMetadata' | 'getMetadata', ...parameters: unknown[]): unknown {
  const known: unknown = Reflect.get(Reflect, name);
  return typeof known === 'function' ? Reflect.apply(known, Reflect, parameters) : null;
}

/**
 * A filter that catches everything hides an error of a guard from those after it. Nest asks the last one first: of the
 * method, then of the class, then of the application.
 */
function askFirst(container: object): void {
  const config: unknown = Reflect.get(container, 'applicationConfig');
  const add: unknown = Reflect.get(Object(config), 'addGlobalFilter');
  if (typeof add === 'function') Reflect.apply(add, config, [FILTER]);
  const modules: unknown = Reflect.apply(Reflect.get(container, 'getModules'), container, []);
  if (!(modules instanceof Map)) return;
  for (const module of modules.values()) {
    for (const list of ['controllers', 'providers']) {
      const wrappers: unknown = Reflect.get(Object(module), list);
      if (!(wrappers instanceof Map)) continue;
      for (const wrapper of wrappers.values()) askFirstIn(Reflect.get(Object(wrapper), 'metatype'));
    }
  }
}

function askFirstIn(type: unknown): void {
  if (typeof type !== 'function') return;
  const prototype: object = Object(type.prototype);
  const methods = Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }) => value);
  for (const target of [type, ...methods]) {
    if (typeof target !== 'function') continue;
    const filters = metadata('getMetadata', FILTERS, target);
    if (Array.isArray(filters) && !filters.includes(FILTER))
      metadata('defineMetadata', FILTERS, [...filters, FILTER], target);
  }
}

/** Refuses nothing. Runs before the guards of the application, and so knows what they answer to. */
class FirstGuard {
  canActivate(context: CallContext): boolean {
    attempt(() => {
      if (context.getType() === 'graphql') active()?.answerApart();
      if (context.getType() === 'http')
        active()?.setRoute(routeOf(Object(context.switchToHttp().getRequest())), 'nestjs');
    });
    return true;
  }
}

/** Reports what no interceptor sees: errors of guards and of the fields of a type. */
class ApolloPlugin {
  async requestDidStart(): Promise<object> {
    return {
      async didEncounterErrors({ errors }: { errors: readonly unknown[] }) {
        reportErrors(errors);
      },
    };
  }
}

/** Reports what a handler or a pipe throws, also where a filter of the application answers it. */
class ErrorInterceptor {
  intercept(context: CallContext, next: { handle(): Source }): object {
    const job = attempt(() => openJob(context)) ?? null;
    const inJob = <T>(work: () => T): T => (job === null ? work() : job.run(work));
    const finish = () => attempt(() => job?.finish());
    const subscribe = (observer: Observer) =>
      inJob(() =>
        next.handle().subscribe({
          next: (value) => observer.next(value),
          error: (error) => {
            attempt(() => inJob(() => report(error, context)));
            finish();
            observer.error(error);
          },
          complete: () => {
            finish();
            observer.complete();
          },
        }),
      );
    // The form that every version of RxJS accepts as an observable of another copy.
    const interop = () => ({ subscribe });
    return { [Reflect.get(Symbol, 'observable') ?? '@@observable']: interop, '@@observable': interop };
  }
}

/** A message belongs to no request, and its user, tags and lines are not those of other messages. */
function openJob(context: CallContext): OpenJob | null {
  if (!['rpc', 'ws'].includes(context.getType())) return null;
  return active()?.openJob(`${context.getClass().name}.${context.getHandler().name}`) ?? null;
}

/** The error that Nest checks at present: it checks each of its lists of filters. */
let asked: unknown;

/** The class of a filter to which no error belongs: Nest asks it, and an error that is asked about was thrown. */
const EVERY_ERROR = {
  [Symbol.hasInstance](error: unknown): boolean {
    // Guards and middleware throw past every interceptor. Their request is the current one.
    if (error !== asked) attempt(() => report(error, null));
    asked = error;
    queueMicrotask(() => {
      asked = undefined;
    });
    return false;
  },
};

/** Catches nothing, and looks at everything. */
class ErrorFilter {
  catch(): void {}
}

const FILTER = new ErrorFilter();

function report(error: unknown, context: CallContext | null): void {
  const type = context?.getType() ?? 'http';
  const request = context === null || type !== 'http' ? null : Object(context.switchToHttp().getRequest());
  // A value that is no object cannot be recognized when a filter is asked about it.
  if (context !== null && type !== 'ws' && Object(error) !== error) return;
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

/** Returns true if an error is the answer to a message or a query, by the classes for that. */
function isForCaller(error: unknown): boolean {
  for (let type: unknown = Object(error); type !== null; type = Object.getPrototypeOf(type)) {
    const name: unknown = Object(Reflect.get(Object(type), 'constructor')).name;
    if (name === 'RpcException' || name === 'WsException' || name === 'GraphQLError') return true;
  }
  return false;
}

/** Returns the route in the form of Express or Fastify below. */
function routeOf(request: object): string | null {
  const options: unknown = Reflect.get(request, 'routeOptions');
  const url: unknown = Reflect.get(Object(options), 'url');
  if (typeof url === 'string') return url;
  return expressRoute(Reflect.get(request, 'baseUrl'), Reflect.get(request, 'route'));
}
