import { REDACTED } from '@culprit/contract/events/secret-keys';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { listOrEmpty, objectOrEmpty } from '../envelope/read-json.ts';
import { safeText, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import { holdsSecret } from '../redact/secret-members.ts';
import { type SourceLines, sourceLines } from './source-lines.ts';

const VARIABLES_MAX = 20;
const NAME_CHARS_MAX = 128;
const VALUE_CHARS_MAX = 512;

/**
 * The `vars` of a frame (docs/contract/ingestion.md 2.1.5): names, and what they held as text, redacted by both. Null
 * without any.
 */
function frameVariables(frame: JsonObject): JsonObject | null {
  const sent = getOwn(frame, 'vars');
  if (!isJsonObject(sent)) return null;
  const variables: JsonObject = {};
  let count = 0;
  for (const name in sent) {
    if (count === VARIABLES_MAX) break;
    count += 1;
    const value = sent[name] ?? null;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = holdsSecret(name, value) ? REDACTED : safeText(text, VALUE_CHARS_MAX);
    setOwn(variables, safeText(name, NAME_CHARS_MAX), shown);
  }
  return count === 0 ? null : variables;
}

/** A frame as a client sent it; absent parts are null. */
export interface StructuredFrame {
  function: string | null;
  module: string | null;
  file: string | null;
  absPath: string | null;
  line: number | null;
  column: number | null;
  inApp: boolean | null;
  package: string | null;
  language: string | null;
  /** Absent where the client sent no line of the source. */
  source?: SourceLines;
  /** The values of variables, as text; absent if the client sent none. */
  vars?: JsonObject;
}

/** One exception of an event's `exceptions`, frames newest call first. */
export interface StructuredException {
  type: string;
  message: string;
  module: string | null;
  /** Its number within the event, and that of the one it belongs to. */
  id: number | null;
  parentId: number | null;
  isGroup: boolean;
  frames: StructuredFrame[];
}

const EXCEPTIONS_MAX = 20;
const FRAMES_MAX = 250;
const THREADS_MAX = 200;

/**
 * The payload's `exceptions`, outermost first, and the frames of the crashed thread where no exception has any
 * (docs/contract/ingestion.md 2.1.5). Never a reason to refuse the event.
 */
export function structuredExceptions(payload: JsonObject): StructuredException[] {
  const sent = listOrEmpty(getOwn(payload, 'exceptions')).filter(isJsonObject).slice(0, EXCEPTIONS_MAX);
  let framesLeft = FRAMES_MAX;
  const exceptions = sent.map((each): StructuredException => {
    const mechanism = objectOrEmpty(getOwn(each, 'mechanism'));
    const frames = readFrames(listOrEmpty(getOwn(each, 'frames')), framesLeft);
    framesLeft -= frames.length;
    return {
      type: textOf(each, 'type') ?? '',
      message: textOf(each, 'message', TEXT_CHARS_MAX.message) ?? '',
      module: textOf(each, 'module'),
      id: numberOf(mechanism, 'id'),
      parentId: numberOf(mechanism, 'parent_id'),
      isGroup: getOwn(mechanism, 'is_group') === true,
      frames,
    };
  });
  if (exceptions.some(({ frames }) => frames.length > 0)) return exceptions;
  const frames = crashedFrames(getOwn(payload, 'threads'));
  if (frames.length === 0) return exceptions;
  const [first, ...rest] = exceptions;
  const none = { type: '', message: '', module: null, id: null, parentId: null, isGroup: false };
  return [{ ...(first ?? none), frames }, ...rest];
}

function crashedFrames(threads: JsonValue | undefined): StructuredFrame[] {
  const crashed = listOrEmpty(threads)
    .slice(0, THREADS_MAX)
    .filter(isJsonObject)
    .find((thread) => getOwn(thread, 'crashed') === true);
  return crashed === undefined ? [] : readFrames(listOrEmpty(getOwn(crashed, 'frames')), FRAMES_MAX);
}

/** The frames of a list, under the names that clients, loggers and runtimes give to their parts. */
export function readFrames(list: readonly JsonValue[], framesMax: number): StructuredFrame[] {
  return list
    .slice(0, framesMax)
    .filter(isJsonObject)
    .map((frame) => {
      const inApp = getOwn(frame, 'in_app');
      const line = numberOf(frame, 'line') ?? anyNumber(frame, LINE_NAMES);
      const source = sourceLines(frame, line);
      const vars = frameVariables(frame);
      return {
        function: textOf(frame, 'function') ?? anyText(frame, FUNCTION_NAMES),
        module: textOf(frame, 'module') ?? anyText(frame, OWNER_NAMES),
        file: textOf(frame, 'file', TEXT_CHARS_MAX.url) ?? anyText(frame, FILE_NAMES),
        absPath: textOf(frame, 'abs_path', TEXT_CHARS_MAX.url),
        line,
        column: numberOf(frame, 'column') ?? anyNumber(frame, COLUMN_NAMES),
        inApp: typeof inApp === 'boolean' ? inApp : null,
        package: textOf(frame, 'package'),
        language: textOf(frame, 'lang', 32),
        ...(source === null ? {} : { source }),
        ...(vars === null ? {} : { vars }),
      };
    });
}

const FUNCTION_NAMES = ['func', 'method', 'methodName', 'method_name', 'functionName', 'name', 'symbol'];
const OWNER_NAMES = ['class', 'className', 'class_name', 'declaringClass'];
const FILE_NAMES = ['filename', 'fileName', 'file_name', 'source', 'path'];
const LINE_NAMES = ['lineno', 'lineNo', 'lineNumber', 'line_number', 'line'];
const COLUMN_NAMES = ['colno', 'col', 'columnNumber', 'column_number'];

function anyText(frame: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const text = textOf(frame, name, TEXT_CHARS_MAX.url);
    if (text !== null) return text;
  }
  return null;
}

/** Some loggers write their numbers as text. */
function anyNumber(frame: JsonObject, names: readonly string[]): number | null {
  for (const name of names) {
    const value = getOwn(frame, name);
    const number =
      typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : numberOf(frame, name);
    if (number !== null) return number;
  }
  return null;
}

function textOf(source: JsonObject, key: string, charsMax: number = TEXT_CHARS_MAX.name): string | null {
  const value = getOwn(source, key);
  if (typeof value !== 'string' || value.trim() === '') return null;
  return safeText(value, charsMax);
}

function numberOf(source: JsonObject, key: string): number | null {
  const value = getOwn(source, key);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
