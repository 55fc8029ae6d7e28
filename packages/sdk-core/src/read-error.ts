import { readProperty, readText, textOf } from './clean.ts';

const CAUSES_MAX = 8;
const MEMBERS_MAX = 3;

/** What an exception's payload says of the thrown value; nothing is cleaned yet. */
export interface ExceptionFacts {
  readonly [key: string]: unknown;
  name: string;
  /** The thrown value itself where it is no Error: it is told as JSON. */
  message: unknown;
  stack: string | null;
}

/** Whether a thrown value is read as an Error; those of other realms are. */
export function isError(value: unknown): value is object {
  try {
    return (
      typeof value === 'object' &&
      value !== null &&
      (value instanceof Error ||
        (typeof readProperty(value, 'stack') === 'string' &&
          typeof readProperty(value, 'message') === 'string'))
    );
  } catch {
    // A proxy may refuse even to say what it is.
    return false;
  }
}

/** What an Error is called, by its own name. */
export type NameOf = (thrown: object, name: string) => string;

/** Takes a telling name of the class where the name is just `Error`; not for minified code. */
export const classNameOf: NameOf = (thrown, name) => {
  const ofClass = readText(Object(readProperty(thrown, 'constructor')), 'name');
  return name === 'Error' && /(?:Error|Exception)$/.test(ofClass) ? ofClass : name;
};

/** Name, message and stack of a thrown value (docs/contract/clients.md 3.3). */
export function readThrown(thrown: unknown, nameOf?: NameOf): ExceptionFacts {
  if (!isError(thrown)) {
    return { name: 'Error', message: thrown === undefined ? 'undefined' : thrown, stack: null };
  }
  const name = readText(thrown, 'name') || 'Error';
  const stack = readProperty(thrown, 'stack');
  return {
    name: nameOf ? nameOf(thrown, name) : name,
    message: readText(thrown, 'message'),
    stack: typeof stack === 'string' && stack ? stack : null,
  };
}

/** The errors behind one: its chain of causes, then members of an aggregate; 8 at most. */
export function readCauses(thrown: unknown, nameOf?: NameOf): ExceptionFacts[] {
  const causes: ExceptionFacts[] = [];
  const seen = new Set<unknown>([thrown]);
  const add = (cause: unknown): boolean => {
    if (causes.length === CAUSES_MAX || seen.has(cause) || !isError(cause)) return false;
    seen.add(cause);
    causes.push(readThrown(cause, nameOf));
    return true;
  };
  if (!isError(thrown)) return causes;
  let cause = readProperty(thrown, 'cause');
  while (add(cause)) cause = readProperty(Object(cause), 'cause');
  const members = readProperty(thrown, 'errors');
  if (Array.isArray(members)) {
    for (let i = 0; i < MEMBERS_MAX; i += 1) add(readProperty(members, String(i)));
  }
  return causes;
}

/** The stack of a browser with its causes behind it, as the service reads a chain there. */
export function stackWithCauses(stack: string | null, causes: readonly ExceptionFacts[]): string | null {
  let text = stack;
  for (const cause of causes.slice(0, 5)) {
    const header = `${cause.name}: ${textOf(cause.message)}`;
    const own = cause.stack ?? '';
    const frames = own.startsWith(header) ? own.slice(header.length).replace(/^\n/, '') : own;
    text = `${text ?? ''}\nCaused by: ${header}\n${frames}`;
  }
  return text;
}

/** Own data properties of an Error besides the usual ones, for `context.error`; undefined where there are none. */
export function readErrorMembers(thrown: unknown): { [key: string]: unknown } | undefined {
  try {
    const members = (isError(thrown) ? Object.keys(thrown) : []).flatMap((key): [string, unknown][] => {
      const member = Object.getOwnPropertyDescriptor(thrown, key);
      const isOwn = member && 'value' in member && !/^(?:name|message|stack|cause|errors)$/.test(key);
      return isOwn ? [[key, member.value]] : [];
    });
    return members[0] && Object.fromEntries(members);
  } catch {
    return undefined;
  }
}
