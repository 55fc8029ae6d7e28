import { readProperty, readText } from '../../../sdk-core/src/redaction/clean.ts';
import { errorIn, isError } from '../../../sdk-core/src/redaction/read-error.ts';

/** Errors by their wrappers, so that an error stays one object however often it is reported. */
const found = new WeakMap<object, object>();

/**
 * Returns the error that a handler threw, from the error that h3 made of it. Nuxt and Nitro use h3, which copies message
 * and stack to a new error, or from an event that carries it. Returns any other value unchanged.
 */
export function unwrapped(thrown: unknown): unknown {
  // The status of an answer decides whether it is a failure.
  if (!isError(thrown)) return readProperty(thrown, 'status') ? thrown : errorIn(thrown);
  const isUnhandled = readProperty(thrown, 'unhandled') === true;
  const isOfFirst = readProperty(readProperty(thrown, 'constructor'), '__h3_error__') === true;
  // Nuxt marks errors of pages as handled.
  if (!isUnhandled && !isOfFirst) return thrown;
  const original = found.get(thrown) ?? originalOf(thrown, isUnhandled && isOfFirst);
  found.set(thrown, original);
  return original;
}

/** @param hidesName in h3 1 the cause is that of the thrown error where it has one, and only its stack still has its name */
function originalOf(wrapper: object, hidesName: boolean): object {
  const cause = readProperty(wrapper, 'cause');
  const stack = readText(wrapper, 'stack');
  if (isError(cause) && readText(cause, 'stack') === stack) return cause;
  if (!hidesName) return wrapper;
  const message = readText(wrapper, 'message');
  const header = /^([\w$.]{1,80}): /.exec(stack);
  const name = header?.[1];
  if (name === undefined || !stack.startsWith(message, header?.[0].length)) return wrapper;
  const original = new Error(message, { cause });
  original.name = name;
  original.stack = stack;
  return original;
}
