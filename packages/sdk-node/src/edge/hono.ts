/** Returns the middleware of Hono if the runtime is not Node: it only calls the next one. */
export function middleware(): (context: object, next: () => Promise<void>) => Promise<void> {
  return (_context, next) => next();
}

export { relay } from './next.ts';
