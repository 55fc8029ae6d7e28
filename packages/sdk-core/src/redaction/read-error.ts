import { attempt } from '../attempt.ts';
import { bareText, EXCHANGED, readProperty, readSaid, readText, textOf } from './clean.ts';

const CAUSES_MAX = 8;
/** The members of an aggregate that are read. */
const MEMBERS = '012';
const CAUSE_CHARS_MAX = 1000;

/** The facts of the thrown value in an exception's payload; nothing is cleaned yet. */
export interface ExceptionFacts {
  readonly [key: string]: unknown;
  name: string;
  /** The thrown value itself if it is no Error: it becomes JSON. */
  message: unknown;
  stack: string | null;
}

/** Returns true if a thrown value is read as an Error; those of other realms are. */
export function isError(value: unknown): value is object {
  // A proxy may refuse even to say what it is.
  return (
    attempt(() => value instanceof Error) ||
    ['stack', 'message'].every((key) => typeof readProperty(value, key) === 'string')
  );
}

/**
 * Returns the Error that a value carries, as the events `error` and `unhandledrejection` do, which pages, workers and
 * libraries pass on whole. Returns any other value unchanged.
 */
export function errorIn(thrown: unknown): unknown {
  return [thrown, readProperty(thrown, 'error'), readProperty(thrown, 'reason')].find(isError) ?? thrown;
}

/** Returns the name of an Error, by its own name. */
type NameOf = (thrown: object, name: string) => string;

/** Takes a telling name of the class where the name is just `Error`; not for minified code. */
export const classNameOf: NameOf = (thrown, name) => {
  const ofClass = readText(readProperty(thrown, 'constructor'), 'name');
  return name === 'Error' && /(?:Error|Exception)$/.test(ofClass) ? ofClass : name;
};

/** Name, message and stack of a thrown value (docs/contract/clients.md 3.3). */
export function readThrown(thrown: unknown, nameOf?: NameOf): ExceptionFacts {
  const [message, stack] = readSaid(thrown);
  const isOfError = isError(thrown);
  // An object with a message as well is an error by its shape; without one a name may be that of a person.
  const name = ((isOfError || message) && readText(thrown, 'name')) || 'Error';
  return {
    name: nameOf ? nameOf(Object(thrown), name) : name,
    message:
      typeof thrown === 'string'
        ? bareText(thrown)
        : isOfError || message
          ? message
          : isAnswer(thrown)
            ? scalarsOf(thrown)
            : (thrown ?? String(thrown)),
    stack: (isOfError && stack) || null,
  };
}

/** Returns true if an answer of an HTTP client was thrown, with its body, as axios, jQuery and Angular do. */
function isAnswer(thrown: unknown): thrown is object {
  return (
    typeof readProperty(thrown, 'status') === 'number' &&
    ['headers', 'config', 'responseText'].some((key) => readProperty(thrown, key))
  );
}

/** The errors behind one: its chain of causes, then members of an aggregate; 8 at most. */
export function errorsBehind(thrown: unknown): object[] {
  const chain: object[] = [];
  const add = (error: unknown) =>
    chain.length <= CAUSES_MAX && isError(error) && !chain.includes(error) && chain.push(error);
  for (let error = thrown; add(error); ) error = readProperty(error, 'cause');
  const members = readProperty(chain[0], 'errors');
  for (const index of MEMBERS) add(readProperty(members, index));
  return chain.slice(1);
}

/** The stack of a browser with its causes behind it, as the service reads a chain there. */
export function stackWithCauses(stack: string | null, thrown: unknown): string | null {
  let text = stack;
  for (const error of errorsBehind(thrown).slice(0, 5)) {
    const { name, message, stack: own } = readThrown(error);
    const frames = (own ?? '').replace(/^.*?\n(?= {4}at )/s, '');
    text = `${text ?? ''}\nCaused by: ${name}: ${String(message).slice(0, CAUSE_CHARS_MAX)}\n${frames}`;
  }
  return text;
}

/** A code, a name, a path: texts with more in them are content. */
const WORD = /^[\w.:/@$%~+-]{1,256}$/;
const CONTENT = /^(?:name|message|stack|cause|errors)$|text|html|input|value|content|raw|std(?:out|err)/i;

/**
 * Members of a thrown object for `context.error`: numbers, switches and single words, and of an error of an HTTP client
 * its method, address without query, and status. Clients and drivers hang whole requests, answers and statements on
 * their errors, with what users entered. Undefined where there is none.
 */
export function readErrorMembers(thrown: unknown): { [key: string]: unknown } | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const members = { ...readCall(thrown), ...scalarsOf(thrown) };
  return Object.keys(members)[0] ? members : undefined;
}

/** The members of an object that are numbers, switches or single words. Answers call their body `error`, too. */
function scalarsOf(source: object): { [key: string]: unknown } {
  const scalars: { [key: string]: unknown } = {};
  // A proxy may refuse.
  attempt(() => {
    // Answers of `fetch` inherit these.
    for (const key of ['status', ...Object.keys(source)]) {
      const value = readProperty(source, key);
      const bare = typeof value === 'string' ? bareText(value) : value;
      // The text of a number or a boolean is one word too.
      const isContent = CONTENT.test(key) || EXCHANGED.test(key) || (key === 'error' && !isError(source));
      if (!isContent && /^[nbs]/.test(typeof bare) && WORD.test(String(bare))) scalars[key] = bare;
    }
  });
  return scalars;
}

const HOLDERS =
  'config.* response.config.* options.* response.options.* request.* response.request.* response.*';

/** The call that failed, as axios, got, ky, superagent, `ofetch` and the clients of AWS hang it on their errors. */
function readCall(failed: object): { [key: string]: unknown } {
  const at = (paths: string): unknown =>
    paths
      .split(' ')
      .map((path) => path.split('.').reduce<unknown>(readProperty, failed))
      .find((value) => value);
  const ofCall = (key: string) => at(HOLDERS.replace(/\*/g, key));
  const url = ofCall('url') ?? ofCall('uri') ?? ofCall('href');
  const call = {
    method: ofCall('method'),
    url: textOf(url) || readText(url, 'href'),
    status: at('response.status response.statusCode output.statusCode $metadata.httpStatusCode'),
  };
  return scalarsOf(call.url ? call : { status: call.status });
}
