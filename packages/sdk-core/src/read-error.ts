import { attempt } from './attempt.ts';
import { readProperty, readText, stackOf, textOf } from './clean.ts';

const CAUSES_MAX = 8;
const MEMBERS_MAX = 3;
const CAUSE_CHARS_MAX = 1000;

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
  // A proxy may refuse even to say what it is.
  return (
    typeof value === 'object' &&
    !!attempt(
      () =>
        value instanceof Error ||
        ['stack', 'message'].every((key) => typeof readProperty(Object(value), key) === 'string'),
    )
  );
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
    const facts = Object(thrown);
    // Answers of HTTP clients are thrown too, with their bodies: those of axios, jQuery and Angular.
    const isAnswer =
      typeof readProperty(facts, 'status') === 'number' &&
      ['headers', 'config', 'responseText'].some((key) => readProperty(facts, key));
    return {
      name: 'Error',
      message: isAnswer ? scalarsOf(facts) : thrown === undefined ? 'undefined' : thrown,
      stack: null,
    };
  }
  const name = readText(thrown, 'name') || 'Error';
  const stack = readProperty(thrown, 'stack');
  const said = readText(thrown, 'message');
  // HTTP clients write the whole address into their messages. `clean.ts` keeps less than this.
  const message = said.slice(0, 16_384).replace(/(https?:\/\/[^\s?#"'<>]{1,2048})[?#][^\s"'<>]*/g, '$1');
  return {
    name: nameOf ? nameOf(thrown, name) : name,
    message,
    stack: typeof stack === 'string' && stack ? stack.replace(said, () => message) : null,
  };
}

/** The errors behind one: its chain of causes, then members of an aggregate; 8 at most. */
export function readCauses(thrown: unknown, nameOf?: NameOf): ExceptionFacts[] {
  const chain: object[] = [];
  const add = (error: unknown): error is object =>
    chain.length <= CAUSES_MAX && isError(error) && !chain.includes(error) && chain.push(error) > 0;
  for (let error = thrown; add(error); ) error = readProperty(error, 'cause');
  const members = Object(readProperty(Object(chain[0]), 'errors'));
  for (let i = 0; i < MEMBERS_MAX; i += 1) add(readProperty(members, String(i)));
  return chain.slice(1).map((error) => readThrown(error, nameOf));
}

/** The stack of a browser with its causes behind it, as the service reads a chain there. */
export function stackWithCauses(stack: string | null, causes: readonly ExceptionFacts[]): string | null {
  let text = stack;
  for (const cause of causes.slice(0, 5)) {
    const header = `${cause.name}: ${textOf(cause.message).slice(0, CAUSE_CHARS_MAX)}`;
    const own = stackOf(cause) ?? '';
    const frames = own.startsWith(header) ? own.slice(header.length).replace(/^\n/, '') : own;
    text = `${text ?? ''}\nCaused by: ${header}\n${frames}`;
  }
  return text;
}

/** A code, a name, a path: texts with more in them are content. */
const WORD = /^[\w.:/@$%~+-]{1,256}$/;
const CONTENT =
  /^(?:name|message|stack|cause|errors)$|body|data|text|html|query|param|input|value|content|payload|raw|std(?:out|err)/i;

/**
 * Members of an Error for `context.error`: numbers, switches and single words, and of an error of an HTTP client its
 * method, address without query, and status. Clients and drivers hang whole requests, answers and statements on their
 * errors, with what users entered. Undefined where there is none.
 */
export function readErrorMembers(thrown: unknown): { [key: string]: unknown } | undefined {
  if (!isError(thrown)) return undefined;
  const members = { ...readCall(thrown), ...scalarsOf(thrown) };
  return Object.keys(members)[0] === undefined ? undefined : members;
}

/** The members of an object that are numbers, switches or single words. */
function scalarsOf(source: object): { [key: string]: unknown } {
  const scalars: { [key: string]: unknown } = {};
  // A proxy may refuse.
  attempt(() => {
    for (const key of Object.keys(source)) {
      const value: unknown = Object.getOwnPropertyDescriptor(source, key)?.value;
      const bare = typeof value === 'string' ? value.replace(/^((?:https?:|\/)[^?#]*)[?#].*/s, '$1') : value;
      // Of a number or a switch, the text is one word too.
      if (!CONTENT.test(key) && /^[nbs]/.test(typeof bare) && WORD.test(String(bare))) scalars[key] = bare;
    }
  });
  return scalars;
}

/** The call that failed, as axios, got, ky, superagent, `ofetch` and the clients of AWS hang it on their errors. */
function readCall(failed: object): { [key: string]: unknown } {
  const member = (of: object, key: string) => Object(readProperty(of, key));
  const response = member(failed, 'response');
  const calls = [
    ...['config', 'options', 'request'].flatMap((key) => [member(failed, key), member(response, key)]),
    response,
  ];
  const found = (holders: object[], ...keys: string[]) =>
    holders.flatMap((holder) => keys.map((key) => readProperty(holder, key))).find((value) => value);
  const address = found(calls, 'url', 'uri', 'href');
  const call = {
    method: found(calls, 'method'),
    url: textOf(address) || readText(Object(address), 'href'),
    status: found(
      [response, member(failed, 'output'), member(failed, '$metadata')],
      'status',
      'statusCode',
      'httpStatusCode',
    ),
  };
  return scalarsOf(call.url ? call : { status: call.status });
}
