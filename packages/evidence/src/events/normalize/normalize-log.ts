import { boundedMap } from '../envelope/bounded-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import { identifierOrNull, safeText, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import { recordedError } from './error-record.ts';
import type { LoggedError, LogPayload } from './event.ts';
import { lineLevel } from './log-level.ts';
import { messagePlace } from './message-place.ts';
import { type MessageTrace, messageTrace } from './message-trace.ts';
import { monologError } from './monolog-error.ts';
import { contextCauses, exceptionMessage, exceptionName } from './normalize-exception.ts';
import { normalizeDebugIds } from './normalize-trail.ts';
import { stackText } from './stack-text.ts';

const ABOUT_CHARS_MAX = 256;

/** Keys of the Android library that belong to the attributes. */
const MOVED_KEYS = ['logger', 'tag', 'thread_name', 'coroutine_name', 'logged_at', 'throwable'] as const;

/**
 * The payload of a `log_event` (docs/contract/ingestion.md 2.4).
 * @param context the event's merged context, unbounded
 */
export function normalizeLog(payload: JsonObject, context: JsonObject): LogPayload {
  const given = objectOrEmpty(payload.attributes ?? payload.fields);
  const message =
    typeof payload.message === 'string' ? safeText(payload.message, TEXT_CHARS_MAX.message) : '';
  const error = loggedError(withMoved(given, payload), context) ?? messageError(message);
  return {
    kind: 'log',
    level: lineLevel(payload).level,
    message,
    attributes: boundedMap(withMoved(given, payload)),
    error,
    debugIds: error === null ? [] : normalizeDebugIds(payload.debug_ids),
    aboutEventId: identifierOrNull(payload.about_event_id, ABOUT_CHARS_MAX),
  };
}

/**
 * The error that a log line carries. It is read before the attributes are bounded: their other values must not push
 * its stack out.
 */
export function loggedError(attributes: JsonObject, context: JsonObject): LoggedError | null {
  return argumentError(attributes, context) ?? fieldError(attributes);
}

/** Arguments of one call that are looked at. */
const ARGUMENTS_MAX = 100;

/** The first error among what the program passed to its logger: libraries write it as `arg_<n>.err`. */
function argumentError(attributes: JsonObject, context: JsonObject): LoggedError | null {
  for (let n = 0; n < ARGUMENTS_MAX; n += 1) {
    const error = own(own(attributes, `arg_${n}`), 'err');
    if (!isJsonObject(error)) continue;
    const [name, message] = [own(error, 'name'), own(error, 'message')];
    const stack = stackText(own(error, 'stack'));
    if (stack === null && !isFilledText(name) && !isFilledText(message)) continue;
    const type = exceptionName({ name });
    return {
      reader: 'logger_argument',
      isArgument: true,
      name: type,
      message: exceptionMessage(message, type, stack),
      stack,
      frames: [],
      causes: contextCauses(context),
      sentence: null,
    };
  }
  return null;
}

/** An error in a field; what the program wrote into the five first names by hand is a stack, and no argument. */
function fieldError(attributes: JsonObject): LoggedError | null {
  const error = recordedError(attributes);
  if (error === null) return null;
  const isWhole = error.name !== null || error.stack !== null || error.frames.length > 0;
  return {
    ...error,
    reader: 'error_field',
    isArgument: isWhole && !hasHandWrittenStack(attributes),
    sentence: null,
  };
}

/** Names that programs write without a logger that knows errors (docs/contract/incidents.md 5.4.2). */
function hasHandWrittenStack(attributes: JsonObject): boolean {
  const error = own(attributes, 'error');
  return [
    own(error, 'stack'),
    own(error, 'stacktrace'),
    own(attributes, 'stack'),
    own(attributes, 'stacktrace'),
    own(attributes, 'exception'),
  ].some(isFilledText);
}

/** The error of a message that is a record or holds a trace. */
function messageError(message: string): LoggedError | null {
  const record = jsonRecord(message);
  const recorded = record === null ? null : recordedError(record);
  if (recorded !== null) return { ...recorded, reader: 'message_record', isArgument: true, sentence: null };
  const tail = tailError(message);
  if (tail !== null) return tail;
  const trace = monologError(message) ?? messageTrace(message);
  // A line that names its place is no error that the program caught.
  const place = trace === null ? messagePlace(message) : null;
  return tracedError(trace ?? place, place === null);
}

/** Text in front of a record, such as what AWS Lambda writes: a time, an id and a level. */
const TEXT_BEFORE_RECORD_CHARS_MAX = 400;

/** The error with its stack in a record with which the message ends. */
function tailError(message: string): LoggedError | null {
  const at = message.indexOf('{"');
  if (at < 1 || at > TEXT_BEFORE_RECORD_CHARS_MAX) return null;
  const record = jsonRecord(message.slice(at));
  const error = record === null ? null : recordedError(record);
  if (error === null || error.stack === null) return null;
  return { ...error, reader: 'message_record', isArgument: true, sentence: message.slice(0, at).trim() };
}

function tracedError(
  trace: (Omit<MessageTrace, 'stack'> & { stack: string | null }) | null,
  isArgument: boolean,
): LoggedError | null {
  if (trace === null) return null;
  return {
    reader: 'message_trace',
    isArgument,
    name: trace.type === '' ? null : trace.type,
    message: trace.message === '' ? null : trace.message,
    stack: trace.stack,
    frames: [],
    causes: [],
    sentence: trace.sentence,
  };
}

function jsonRecord(message: string): JsonObject | null {
  const text = message.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  try {
    const record: unknown = JSON.parse(text);
    return isJsonObject(record) ? record : null;
  } catch {
    return null;
  }
}

function own(container: JsonValue, key: string): JsonValue {
  return isJsonObject(container) ? (getOwn(container, key) ?? null) : null;
}

function isFilledText(value: JsonValue): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The map with the keys it lacks taken from the payload; the map itself when there are none. */
function withMoved(map: JsonObject, payload: JsonObject): JsonObject {
  let merged: JsonObject | null = null;
  for (const key of MOVED_KEYS) {
    const value = payload[key];
    if (value === undefined || value === null || Object.hasOwn(map, key)) continue;
    if (merged === null) {
      merged = {};
      for (const own of Object.keys(map)) setOwn(merged, own, map[own] ?? null);
    }
    merged[key] = value;
  }
  return merged ?? map;
}
