/** The middleware of Hono where the runtime is not Node: it only goes on. */
export function middleware(): (context: object, next: () => Promise<void>) => Promise<void> {
  return (_context, next) => next();
}

export { relay } from './next.ts';
