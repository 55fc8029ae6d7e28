import { attempt } from '../../sdk-core/src/attempt.ts';

/** Undoes one change of the page. */
export type Undo = () => void;
/** Runs after the original has been called: the caller gets its result. */
type After = (result: unknown) => unknown;

const MARK = Symbol.for('culprit.replaced');

/**
 * Replaces a function of the page, once: a function that is marked already is left alone. `before` runs with the
 * caller's arguments and may change the list; its errors never reach the page. Name and length stay unchanged. The
 * result restores the original, unless other code has replaced it since; then the original is called without anything.
 */
export function replace<Name extends PropertyKey>(
  owner: { [Key in Name]?: unknown } | undefined,
  name: Name,
  // biome-ignore lint/suspicious/noConfusingVoidType: most have nothing to add.
  before: (self: unknown, args: unknown[]) => After | void,
): Undo {
  const original = owner?.[name];
  if (!owner || typeof original !== 'function' || MARK in original) return () => {};
  let watch: typeof before | undefined = before;
  const replaced = function (this: unknown, ...args: unknown[]): unknown {
    const after = attempt(() => watch?.(this, args));
    const result = original.apply(this, args);
    return attempt(() => after?.(result)) || result;
  };
  Object.defineProperties(replaced, {
    name: { value: original.name },
    length: { value: original.length },
    [MARK]: { value: true },
  });
  // A page may have frozen it.
  attempt(() => {
    owner[name] = replaced;
  });
  return () => {
    watch = undefined;
    if (owner[name] === replaced) owner[name] = original;
  };
}

/** Listens in the capture phase without ever delaying the page. */
export function listen(target: EventTarget, type: string, listener: (event: Event) => void): Undo {
  const options = { capture: true, passive: true };
  // Its own failure would be an error of the page, and be captured in place of the first.
  const guarded = (event: Event) => attempt(() => listener(event));
  target.addEventListener(type, guarded, options);
  return () => target.removeEventListener(type, guarded, options);
}

/** All of them as one. */
export function together(...changes: readonly (Undo | undefined | false)[]): Undo {
  return () => {
    for (const undo of changes) if (undo) undo();
  };
}
