import { stripVTControlCharacters, types } from 'node:util';
import { errorsBehind, isError, readThrown } from '../../../sdk-core/src/redaction/read-error.ts';
import { attempt } from '../client/attempt.ts';
import type { LogLine } from '../client/implementation.ts';
import type { Subscriptions } from './subscriptions.ts';

const METHODS: readonly (readonly [method: 'error' | 'warn' | 'info' | 'log', level: string])[] = [
  ['error', 'error'],
  ['warn', 'warning'],
  ['info', 'info'],
  ['log', 'info'],
];
const MAX_CHARS = 2_048;
const MAX_ARGUMENTS = 20;
const MAX_STACK_CHARS = 65_536;
/** Work of an answered request, whose failure Next.js only prints. */
const LEFT_WORK = /^(?:An error occurred in a function|A promise) passed to `after\(\)`/;

/** Reads what the host prints: by the channels of the console, or where the runtime has none by replaced methods. */
export function watchConsole(
  subscriptions: Subscriptions,
  mode: 'trail' | 'events',
  capture: (line: LogLine) => void,
): void {
  let isCapturing = false;
  const withCauses = joinCauses();
  const onLine = (level: string, parameters: readonly unknown[]) => {
    // Ignores the lines that a hook of the host prints while its own line is captured.
    if (isCapturing) return;
    isCapturing = true;
    try {
      const line = readLine(level, parameters, mode === 'events');
      capture({ ...line, error: withCauses(line, parameters) });
    } finally {
      isCapturing = false;
    }
  };
  const heard = { byChannel: false, byMethod: false };
  for (const [method, level] of METHODS) {
    subscriptions.channel(`console.${method}`, (message) => {
      if (heard.byChannel && Array.isArray(message)) onLine(level, message);
      // The first line is that which finds out whether there are channels.
      heard.byChannel = !heard.byMethod;
    });
  }
  printNowhere();
  // The channels of Deno report the lines of `node:console`, not those of the console of Deno.
  heard.byMethod = !heard.byChannel || 'deno' in process.versions;
  if (heard.byMethod) patchConsole(subscriptions, onLine);
}

/** A line of a console of the library's own, which nothing shows. */
function printNowhere(): void {
  const nothing = () => {};
  const stream = { write: () => true, on: nothing, once: nothing, off: nothing, removeListener: nothing };
  const { Console }: { Console?: unknown } = console;
  if (typeof Console !== 'function') return;
  try {
    const own: unknown = Reflect.construct(Console, [{ stdout: stream, stderr: stream }]);
    const log: unknown = Reflect.get(Object(own), 'log');
    if (typeof log === 'function') Reflect.apply(log, own, ['']);
  } catch {
    // A console of another form has no channels.
  }
}

/**
 * An error whose causes are printed behind it, one by one, is one failure: the outermost. SvelteKit prints their stacks
 * that way. Of stacks only those of one turn and level are joined, with nothing else beside or between them.
 */
function joinCauses(): (line: LogLine, parameters: readonly unknown[]) => unknown {
  let outermost: object | null = null;
  let innermost: Error | null = null;
  let lastLevel = '';
  return ({ error, level }, [text, ...others]) => {
    if (level !== lastLevel) outermost = null;
    lastLevel = level;
    if (typeof error !== 'object' || error === null) {
      outermost = null;
      return error;
    }
    // The stack of an Error of the host is not read here: its own functions write it.
    const isText = typeof text === 'string' && others.length === 0;
    const isStack = isText && types.isNativeError(error) && text === error.stack;
    const isJoined =
      outermost !== null && (errorsBehind(outermost).includes(error) || (isStack && innermost !== null));
    if (!isJoined) {
      outermost = error;
      queueMicrotask(() => {
        if (outermost === error) outermost = null;
      });
    } else if (isStack && innermost !== null) innermost.cause = error;
    innermost = isStack ? error : null;
    return outermost;
  };
}

function readLine(level: string, parameters: readonly unknown[], isEvent: boolean): LogLine {
  const words: string[] = [];
  const values: unknown[] = [];
  let error: unknown;
  for (const value of parameters.slice(0, MAX_ARGUMENTS)) {
    if (typeof value === 'object' && isError(value)) {
      error ??= value;
      const { name, message } = readThrown(value);
      words.push(`${name}: ${String(message)}`);
    } else if (typeof value === 'object' && value !== null) {
      values.push(value);
    } else {
      if (typeof value === 'string' && error === undefined) error = errorOfStack(value);
      words.push(attempt(() => String(value)) ?? '[Unreadable]');
    }
  }
  return {
    level,
    message: words.join(' ').slice(0, MAX_CHARS),
    logger: 'console',
    attributes: values.length === 0 ? {} : { arguments: values },
    error,
    isEvent,
    isUnhandled: typeof parameters[0] === 'string' && LEFT_WORK.test(parameters[0]),
  };
}

/** A frame as V8 writes it. */
const FRAME = /^ {2,8}at /;
/**
 * The number of lines above the first frame that are searched for the header: a message may have several, a framework
 * puts its own first.
 */
const HEADER_LINES = 12;
/** The header of a stack, perhaps behind other words: `[500] GET /: TypeError: x`. */
const HEADER = /(?:^|[\s:\](])([\w$.]{0,80}(?:Error|Exception))(?: \[\w{1,60}\])?(?:: ([^\n]{0,8192}))?$/;

/** Above the frames where a framework leaves the name out: `[nuxt] [request error] [unhandled] [500] x`. */
const TAGGED = /^(?:\[[^\]\n]{1,60}\] ?){1,6}([^\n]{1,8192})$/;

/** The Error whose stack is printed as a text: `console.error(error.stack)` is in many handlers and frameworks. */
function errorOfStack(text: string): Error | undefined {
  if (!text.includes('  at ')) return undefined;
  const lines = stripVTControlCharacters(text.slice(0, MAX_STACK_CHARS)).split('\n');
  const frame = lines.findIndex((line) => FRAME.test(line));
  for (let at = Math.max(0, frame - HEADER_LINES); at < frame; at += 1) {
    const [, name, first = ''] = HEADER.exec(lines[at] ?? '') ?? [];
    if (name === undefined) continue;
    return printedError(name, [first, ...lines.slice(at + 1, frame)], lines.slice(frame));
  }
  const [, message] = TAGGED.exec(lines[frame - 1] ?? '') ?? [];
  return message === undefined ? undefined : printedError('Error', [message], lines.slice(frame));
}

function printedError(name: string, message: readonly string[], frames: readonly string[]): Error {
  const error = new Error(message.join('\n').trim());
  error.name = name;
  error.stack = [`${name}: ${error.message}`, ...frames].join('\n');
  return error;
}

function patchConsole(
  subscriptions: Subscriptions,
  onLine: (level: string, parameters: readonly unknown[]) => void,
): void {
  for (const [method, level] of METHODS) {
    const original = console[method];
    const replacement = (...parameters: unknown[]) => {
      try {
        onLine(level, parameters);
      } catch {
        // The host's line is what matters.
      }
      Reflect.apply(original, console, parameters);
    };
    console[method] = replacement;
    subscriptions.add(() => {
      if (console[method] === replacement) console[method] = original;
    });
  }
}
