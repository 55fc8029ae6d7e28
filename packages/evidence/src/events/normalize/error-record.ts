import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { safeText, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import { readTrace } from '../fingerprint/stack/read-stack.ts';
import type { ExceptionCause, LoggedError } from './event.ts';
import { messageTrace } from './message-trace.ts';
import { stackText } from './stack-text.ts';
import { readFrames, type StructuredFrame } from './structured-exceptions.ts';

/**
 * The names under which structured loggers write an error and its parts. They are compared in small letters and without
 * punctuation, so that `err.stack`, `error_stack` and `errorStack` are one name, nested or dotted.
 */
const ERRORS =
  'err error errors exception exceptions exc throwable thrown failure fault e ex x excinfo exceptioninfo lasterror cause reason crashreason';
const STACKS =
  'stack stacktrace stacktracestring fullstacktrace extendedstacktrace errorstacktrace stackframes trace traceback backtrace callstack exctext errorverbose verbose frames steparray';
/** In the order in which they are believed. */
const TYPES = [
  'name',
  'type class classname errorclass exceptionclass exceptiontype exctype errortype',
  'kind',
  'code',
];
const MESSAGES = 'message msg excvalue value description desc reason detail text error';

interface NameTest {
  test(name: string): boolean;
}

function oneOf(list: string): NameTest {
  const names = new Set(list.split(' '));
  return { test: (name) => names.has(name) };
}

/** A name of an error and of its part in one: `exception.stacktrace`, `errorStack`, `exception_class`. */
function joinedOneOf(list: string): NameTest {
  const errors = ERRORS.split(' ');
  const parts = new Set(list.split(' '));
  return {
    test: (name) => errors.some((error) => name.startsWith(error) && parts.has(name.slice(error.length))),
  };
}

const ERROR_NAME = oneOf(ERRORS);
const STACK_NAME = oneOf(STACKS);
const TYPE_NAMES = TYPES.map(oneOf);
const MESSAGE_NAME = oneOf(MESSAGES);
const JOINED_STACK = joinedOneOf(STACKS);
const JOINED_TYPES = TYPES.map(joinedOneOf);
const JOINED_MESSAGE = joinedOneOf(MESSAGES);
const CAUSE_NAME = /^(?:causes?|previous|inner|innerexceptions?|causedby|source|nested)$/;
/** Objects in which loggers put the fields of a line. */
const WRAPPER_NAME =
  /^(?:extra|context|ctx|fields|data|record|attributes|attrs|log|meta|metadata|mdc|payload|params|args?|\d)$/;

const KEYS_MAX = 200;
const DEPTH_MAX = 3;
const CAUSES_MAX = 20;

/** An error as a record of a structured logger holds it. */
type RecordedError = Pick<LoggedError, 'name' | 'message' | 'stack' | 'causes' | 'frames'>;

/**
 * The error in the fields of a log line: the first one whose stack can be read, else the first that names a type or says
 * something. Null when no field holds one. Bounded; never throws.
 */
export function recordedError(fields: JsonObject): RecordedError | null {
  const found = errorsIn(fields, 0);
  const error = found.find(hasStack) ?? errorInside(fields) ?? errorInText(fields) ?? found[0] ?? null;
  return error === null ? null : withHeader(error);
}

/** The names that loggers give to the whole line, with the trace below it. */
const WHOLE_LINE = oneOf('fullmessage longmessage text formatted log output stderr');

/** The trace of an error in a text that holds more than the trace. */
function errorInText(fields: JsonObject): RecordedError | null {
  for (const [name, value] of entriesOf(fields)) {
    const trace = WHOLE_LINE.test(name) && typeof value === 'string' ? messageTrace(value) : null;
    const stack = trace === null ? null : stackText(trace.stack);
    if (stack !== null) return { name: null, message: null, stack, frames: [], causes: [] };
  }
  return null;
}

/** The type and the message that the stack names, where the fields name none. */
function withHeader(error: RecordedError): RecordedError {
  if (error.stack === null || (error.name !== null && error.message !== null)) return error;
  const header = readTrace(error.stack)?.chain[0];
  return {
    ...error,
    name: error.name ?? (header?.type || null),
    message: error.message ?? (header?.message || null),
  };
}

function hasStack({ stack, frames }: RecordedError): boolean {
  return stack !== null || frames.length > 0;
}

function errorsIn(fields: JsonObject, depth: number): RecordedError[] {
  const entries = entriesOf(fields);
  const own = ownError(entries);
  const found = own === null ? [] : [own];
  for (const [name, value] of entries) {
    const error = ERROR_NAME.test(name) ? errorOf(value, 0) : null;
    // A short name says nothing of a sentence.
    if (error !== null && (name.length > 2 || hasStack(error))) found.push(error);
  }
  if (depth < DEPTH_MAX && !found.some(hasStack)) {
    for (const [name, value] of entries) {
      if (WRAPPER_NAME.test(name) && isJsonObject(value)) found.push(...errorsIn(value, depth + 1));
    }
  }
  return found;
}

const VALUES_MAX = 200;

/** An error with a stack below names of the application's own, such as an event of a span; the outermost one. */
function errorInside(fields: JsonObject): RecordedError | null {
  let level = valuesOf(fields, KEYS_MAX);
  let left = VALUES_MAX;
  for (let depth = 0; depth <= DEPTH_MAX && left > 0; depth++) {
    const next: JsonValue[] = [];
    for (const value of level) {
      left -= 1;
      if (left < 0) return null;
      if (Array.isArray(value)) next.push(...value.slice(0, left));
      if (!isJsonObject(value)) continue;
      const error = errorsIn(value, DEPTH_MAX).find(hasStack);
      if (error !== undefined) return error;
      next.push(...valuesOf(value, left));
    }
    level = next.filter((value) => typeof value === 'object');
  }
  return null;
}

/** Without names that an object inherits, which only an attacker writes. */
function valuesOf(fields: JsonObject, max: number): JsonValue[] {
  const names = Object.keys(fields).slice(0, max);
  return names.flatMap((name) => (name in Object.prototype ? [] : [getOwn(fields, name) ?? null]));
}

type Entry = readonly [name: string, value: JsonValue];

function entriesOf(fields: JsonObject): Entry[] {
  const entries: Entry[] = [];
  for (const key in fields) {
    if (entries.length >= KEYS_MAX) break;
    entries.push([key.replace(/[^A-Za-z0-9]/g, '').toLowerCase(), getOwn(fields, key) ?? null]);
  }
  return entries;
}

/** Returns the error whose parts are next to the message of the line. */
function ownError(entries: readonly Entry[]): RecordedError | null {
  const stack = stackIn(entries, [JOINED_STACK, STACK_NAME]);
  if (stack === null) return null;
  const pair = entries.find(([name, value]) => ERROR_NAME.test(name) && Array.isArray(value))?.[1];
  const noted = Array.isArray(pair) ? notedPair(pair) : null;
  if (noted !== null) return { ...noted, ...stack };
  const message = textIn(entries, [JOINED_MESSAGE, ERROR_NAME]);
  return { ...stack, name: typeIn(entries, JOINED_TYPES), message: cut(message), causes: [] };
}

/** One error, or the first of a list; null for what is none. */
function errorOf(value: JsonValue, depth: number): RecordedError | null {
  if (depth > DEPTH_MAX) return null;
  if (typeof value === 'string') return errorOfText(value);
  if (Array.isArray(value)) return errorOfList(value, depth);
  if (!isJsonObject(value)) return null;
  const entries = entriesOf(value);
  const stack = stackIn(entries, [STACK_NAME, JOINED_STACK]);
  const name = typeIn(entries, TYPE_NAMES);
  const message = textIn(entries, [MESSAGE_NAME]);
  if (stack === null && name === null && message === null) {
    const inner = entries.find(([key, each]) => ERROR_NAME.test(key) && isJsonObject(each));
    return inner === undefined ? null : errorOf(inner[1], depth + 1);
  }
  const causes = causesOf(entries);
  return { stack: null, frames: [], ...stack, name, message: cut(message), causes };
}

/** A whole trace, or a sentence. */
function errorOfText(text: string): RecordedError | null {
  if (text.trim() === '') return null;
  const stack = readableStack(text);
  return { name: null, message: stack === null ? cut(text) : null, stack, frames: [], causes: [] };
}

/** Lines of a trace, frames as objects, or errors of which the first is the outermost. */
function errorOfList(list: readonly JsonValue[], depth: number): RecordedError | null {
  const stack = stackOfList(list);
  if (stack !== null) return { name: null, message: null, ...stack, causes: [] };
  const noted = notedPair(list);
  if (noted !== null) return noted;
  const [first, ...rest] = list.slice(0, CAUSES_MAX).flatMap((each) => errorOf(each, depth + 1) ?? []);
  if (first === undefined) return null;
  return { ...first, causes: [...first.causes, ...rest.map(causeOf)].slice(0, CAUSES_MAX) };
}

/** Ruby on Rails notes an exception as its class and its message. */
function notedPair([type, said, ...more]: readonly JsonValue[]): RecordedError | null {
  if (typeof type !== 'string' || typeof said !== 'string' || more.length > 0) return null;
  return ERROR_CLASS.test(type)
    ? { name: type, message: cut(said), stack: null, frames: [], causes: [] }
    : null;
}

const ERROR_CLASS = /^[A-Z]\w{0,100}(?:(?:::|\.|\\)[A-Z]\w{0,100}){0,10}$/;

function causesOf(entries: readonly Entry[]): ExceptionCause[] {
  const causes: ExceptionCause[] = [];
  let at = entries.find(([name]) => CAUSE_NAME.test(name))?.[1] ?? null;
  while (causes.length < CAUSES_MAX) {
    const next: JsonValue = Array.isArray(at) ? (at[0] ?? null) : at;
    if (!isJsonObject(next)) break;
    const inside = entriesOf(next);
    const name = typeIn(inside, TYPE_NAMES);
    const message = cut(textIn(inside, [MESSAGE_NAME]));
    const stack = stackIn(inside, [STACK_NAME, JOINED_STACK])?.stack ?? null;
    if (name === null && message === null && stack === null) break;
    causes.push({ name: name ?? '', message: message ?? '', stack });
    at = inside.find(([key]) => CAUSE_NAME.test(key))?.[1] ?? null;
  }
  return causes;
}

function causeOf({ name, message, stack }: RecordedError): ExceptionCause {
  return { name: name ?? '', message: message ?? '', stack };
}

type Stack = Pick<RecordedError, 'stack' | 'frames'>;

/** The first stack that can be read, by the order of the patterns. */
function stackIn(entries: readonly Entry[], patterns: readonly NameTest[]): Stack | null {
  for (const pattern of patterns) {
    for (const [name, value] of entries) {
      const stack = pattern.test(name) ? stackOf(value) : null;
      if (stack !== null) return withOwnPlace(stack, entries);
    }
  }
  return null;
}

function stackOf(value: JsonValue): Stack | null {
  if (typeof value === 'string') {
    const stack = readableStack(value);
    return stack === null ? null : { stack, frames: [] };
  }
  if (Array.isArray(value)) return stackOfList(value);
  // `stacktrace: { frames: […] }`
  if (!isJsonObject(value)) return null;
  const inner = entriesOf(value).find(([name, each]) => name === 'frames' && Array.isArray(each));
  return inner === undefined ? null : stackOf(inner[1]);
}

function stackOfList(list: readonly JsonValue[]): Stack | null {
  const frames = structuredFrames(list);
  if (frames.length > 0) return { stack: null, frames };
  const lines = list.filter((line) => typeof line === 'string');
  const places = lines.flatMap((line) => placeFrame(line) ?? []);
  if (places.length > 0 && places.length === lines.length) return { stack: null, frames: places };
  return lines.length === 0 ? null : stackOf(lines.join('\n'));
}

/** `/srv/app/Cart.php:42`, as Monolog writes the lines of a trace. */
function placeFrame(line: string): StructuredFrame | null {
  const [, file, number] = /^([^\s:]{1,500}\.\w{1,10}):(\d{1,9})$/.exec(line.trim()) ?? [];
  return file === undefined ? null : (readFrames([{ file, line: Number(number) }], 1)[0] ?? null);
}

function readableStack(text: string): string | null {
  const stack = stackText(text);
  return stack !== null && readTrace(stack) !== null ? stack : null;
}

/** PHP names the place of the failure apart from the trace, which begins at its caller. */
function withOwnPlace(stack: Stack, entries: readonly Entry[]): Stack {
  const file = entries.find(([name]) => name === 'file')?.[1];
  const line = entries.find(([name]) => name === 'line')?.[1];
  if (typeof file !== 'string' || !/\.(?:php|phtml|inc)(?::\d+)?$/.test(file)) return stack;
  const text = typeof line === 'number' ? `${file}:${line}` : file;
  if (stack.stack !== null) return { ...stack, stack: `${text}\n${stack.stack}` };
  const place = placeFrame(text);
  return place === null ? stack : { ...stack, frames: [place, ...stack.frames] };
}

/** Newest call first. Python's loggers write the newest call last, as its traces do. */
function structuredFrames(list: readonly JsonValue[]): StructuredFrame[] {
  const frames = readFrames(list, FRAMES_MAX).filter(
    (frame) =>
      (frame.function !== null || frame.file !== null) && (frame.file !== null || frame.module !== null),
  );
  const isPython = frames.some(({ file }) => file?.endsWith('.py') === true);
  return isPython ? frames.reverse() : frames;
}

const FRAMES_MAX = 250;

function textIn(entries: readonly Entry[], patterns: readonly NameTest[]): string | null {
  for (const pattern of patterns) {
    const found = entries.find(([name, value]) => pattern.test(name) && isFilled(value));
    if (found !== undefined) return String(found[1]);
  }
  return null;
}

/** A text of one line, so that no trace is taken for a message. */
function isFilled(value: JsonValue): boolean {
  return typeof value === 'string' && value.trim() !== '' && !/\n\s/.test(value);
}

/** The first type that says more than that there is an error; `<class 'ValueError'>` as its name. */
function typeIn(entries: readonly Entry[], patterns: readonly NameTest[]): string | null {
  const types = patterns.flatMap((pattern) => {
    const bare = (textIn(entries, [pattern]) ?? '').trim().replace(/^<class '(.{1,200})'>$/, '$1');
    return bare === '' || /\s/.test(bare) ? [] : [bare];
  });
  const type = types.find((each) => !/^(?:Error|Exception)$/.test(each)) ?? types[0];
  return type === undefined ? null : safeText(type, TEXT_CHARS_MAX.name);
}

function cut(text: string | null): string | null {
  return text === null ? null : safeText(text, TEXT_CHARS_MAX.message);
}
