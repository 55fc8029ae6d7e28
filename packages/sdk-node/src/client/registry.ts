import type { Implementation } from './implementation.ts';

/** The key under which every copy of the package in a process finds the first one. */
const KEY = Symbol.for('culprit.node.1');

/** The state that the copies share, so that none reads the global object with every call. */
interface Shared {
  implementation: Implementation | undefined;
}

let shared: Shared | undefined;

/** The implementation that captures in this process; undefined before `init` and after `close`. */
export function active(): Implementation | undefined {
  return (shared ?? findShared())?.implementation;
}

/** Makes this copy the one of the process. */
export function register(implementation: Implementation): void {
  shared ??= findShared() ?? createShared();
  shared.implementation = implementation;
}

/** Ends that, when it is this copy. */
export function unregister(implementation: Implementation): void {
  if (shared?.implementation === implementation) shared.implementation = undefined;
}

function findShared(): Shared | undefined {
  const found: unknown = Reflect.get(globalThis, KEY);
  if (isShared(found)) shared = found;
  return shared;
}

function createShared(): Shared {
  const created: Shared = { implementation: undefined };
  Object.defineProperty(globalThis, KEY, { value: created, configurable: true, enumerable: false });
  return created;
}

/** Only copies of this package write there, and all of one number have one form. */
function isShared(value: unknown): value is Shared {
  return typeof value === 'object' && value !== null && 'implementation' in value;
}
