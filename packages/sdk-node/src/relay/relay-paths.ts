import { withoutSlash } from './relay-options.ts';

/** Copies of the package share it: the one that captures requests need not be the one that has the relay. */
const KEY = Symbol.for('culprit.node.relay-paths.1');
const PATHS_MAX = 50;

/** Remembers that a relay answers at a path, so that its calls are no requests of the application. */
export function addRelayPath(path: string): void {
  const paths = knownPaths() ?? new Set<unknown>();
  if (paths.size === 0) {
    Object.defineProperty(globalThis, KEY, { value: paths, configurable: true, enumerable: false });
  }
  if (paths.size < PATHS_MAX) paths.add(withoutSlash(path));
}

/** Returns true if a relay answers a request for this path, with or without a query. */
export function isRelayTarget(target: string): boolean {
  const paths = knownPaths();
  return paths?.has(withoutSlash(target.split('?', 1)[0] ?? '')) ?? false;
}

function knownPaths(): Set<unknown> | undefined {
  const found: unknown = Reflect.get(globalThis, KEY);
  return found instanceof Set ? found : undefined;
}
