/** The facts that a build left in global variables (docs/contract/clients.md 14). */

const read = (name: string): object => Object(Reflect.get(globalThis, name));
const files = new Map<string, string>();

/** Debug ids by the file that registered them, which is the innermost one of a stack. */
export function registeredIds(fileOf: (stack: string) => string | null): Map<string, string> {
  const found = new Map<string, string>();
  for (const [text, id] of Object.entries({ ...read('_debugIds'), ...read('_sentryDebugIds') })) {
    const file = files.get(text) ?? fileOf(text) ?? '';
    files.set(text, file);
    if (typeof id === 'string' && !found.has(file)) found.set(file, id);
  }
  return found;
}

/** The release that `culprit sourcemaps inject --release`, or a plugin of Sentry, left. */
export function releaseOfBuild(): unknown {
  return Reflect.get(globalThis, '_culpritRelease') ?? Reflect.get(read('SENTRY_RELEASE'), 'id');
}
