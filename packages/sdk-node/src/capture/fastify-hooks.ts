import { active } from '../client/registry.ts';
import { read, readText } from './subscriptions.ts';

const LAST_FLUSH_MS = 2_000;
const instrumented = new WeakSet<object>();

/** Adds to an instance of Fastify one hook that reports errors and one that flushes when it closes. */
export function instrumentFastify(instance: object): void {
  const addHook = read(instance, 'addHook');
  if (instrumented.has(instance) || typeof addHook !== 'function') return;
  instrumented.add(instance);
  const version = readText(instance, 'version');
  const onError = (request: unknown, _reply: unknown, error: unknown, done: () => void) => {
    try {
      active()?.captureFrameworkError(error, {
        framework: 'fastify',
        ...(version === null ? {} : { frameworkVersion: version }),
        routeTemplate: readText(read(request, 'routeOptions'), 'url') ?? readText(request, 'routerPath'),
        body: read(request, 'body'),
      });
    } catch {
      // The host's error is what matters.
    }
    done();
  };
  const onClose = (_instance: unknown, done: () => void) => {
    const flushed = active()?.flush(LAST_FLUSH_MS) ?? Promise.resolve(true);
    flushed.then(
      () => done(),
      () => done(),
    );
  };
  Reflect.apply(addHook, instance, ['onError', onError]);
  Reflect.apply(addHook, instance, ['onClose', onClose]);
}
