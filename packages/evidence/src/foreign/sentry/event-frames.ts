import { REDACTED } from '@culprit/contract/events/secret-keys';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { setOwn } from '../../events/envelope/own-property.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { holdsSecret } from '../../events/redact/secret-members.ts';
import type { FindPlace } from './frame-images.ts';
import { frameName, isNameless } from './frame-names.ts';
import { anyText, countOf, filled, listOf, textOf } from './written-values.ts';

const NAME_CHARS_MAX = 1_024;
const LINES_AROUND_MAX = 5;
const LINE_CHARS_MAX = 512;

/** The settings that the frames of one event share. */
interface FrameSetting {
  /** The platform of the event. */
  platform: string;
  /** No frame is called the application's own, or every one of a page, so that the flags say nothing. */
  areFlagsDropped: boolean;
  findPlace: FindPlace;
}

/**
 * The frames of a stack trace, newest call first, the newest `framesMax` of them (docs/contract/foreign-protocols.md
 * 5.3).
 */
export function framesOf(holder: JsonObject, setting: FrameSetting, framesMax: number): JsonObject[] {
  return writtenFrames(holder, framesMax).map((frame) => frameOf(frame, setting));
}

/** Returns the frames in the order of the payload, newest call first. */
export function writtenFrames(holder: JsonObject, framesMax: number): JsonObject[] {
  for (const trace of [holder.stacktrace, holder.raw_stacktrace]) {
    const frames = listOf(trace) ?? listOf(objectOrEmpty(trace).frames);
    if (frames === null || frames.length === 0) continue;
    return frames
      .slice(framesMax > 0 ? -framesMax : frames.length)
      .filter(isJsonObject)
      .reverse();
  }
  return [];
}

function frameOf(frame: JsonObject, { platform, areFlagsDropped, findPlace }: FrameSetting): JsonObject {
  const file = fileOf(frame.filename);
  const line = countOf(frame.lineno);
  const place = isNameless(frame) ? findPlace(frame) : null;
  const language = languageOf(frame, file, { platform, isInBinary: place !== null });
  return filled({
    ...frameName(frame, language, place),
    file,
    abs_path: textOf(frame.abs_path, NAME_CHARS_MAX * 2),
    line,
    column: countOf(frame.colno),
    in_app: areFlagsDropped || typeof frame.in_app !== 'boolean' ? null : frame.in_app,
    package: textOf(frame.package, NAME_CHARS_MAX) ?? place?.file ?? null,
    native: language === 'native' || frame.native === true ? true : null,
    instruction_addr: textOf(frame.instruction_addr, 64),
    context_line: sourceLine(frame.context_line),
    pre_context: sourceLines(frame.pre_context, -LINES_AROUND_MAX),
    post_context: sourceLines(frame.post_context, LINES_AROUND_MAX),
    lang: language === '' ? null : language,
  });
}

function languageOf(
  frame: JsonObject,
  file: string | null,
  { platform, isInBinary }: { platform: string; isInBinary: boolean },
): string {
  if (file !== null && SHELL_FILE.test(file)) return 'powershell';
  const named = textOf(frame.platform, 32) ?? platform;
  // Code that .NET or Dart compiled ahead of time has native frames.
  return isInBinary && named !== 'cocoa' ? 'native' : named;
}

/** Lua marks what comes from a file. */
function fileOf(value: JsonValue | undefined): string | null {
  const file = textOf(value, NAME_CHARS_MAX);
  return file?.startsWith('@') && file.endsWith('.lua') ? file.slice(1) : file;
}

/** Scripts that the library of .NET runs in. */
const SHELL_FILE = /\.psm?1$/i;

function sourceLine(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value.slice(0, LINE_CHARS_MAX) : undefined;
}

/** The nearest lines: the last ones of those before, the first ones of those after. */
function sourceLines(value: JsonValue | undefined, lines: number): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const nearest = lines < 0 ? value.slice(lines) : value.slice(0, lines);
  return nearest.map((line) => sourceLine(line) ?? '');
}

const VARS_MAX = 20;
const VAR_CHARS_MAX = 512;
const VAR_VALUES_MAX = 200;

/** Returns the values of a frame's variables, as text; null without any. */
export function variablesOf(frame: JsonObject): JsonObject | null {
  if (!isJsonObject(frame.vars)) return null;
  const variables: JsonObject = {};
  let count = 0;
  for (const name in frame.vars) {
    if (count === VARS_MAX) break;
    count += 1;
    const value = frame.vars[name] ?? null;
    const shown = typeof value === 'object' ? withoutSecrets(value, 4, { values: VAR_VALUES_MAX }) : value;
    setOwn(variables, name, value === null ? 'null' : anyText(shown, VAR_CHARS_MAX));
  }
  return count === 0 ? null : variables;
}

/** Keys are checked before the value becomes text, in which they are no longer keys. */
function withoutSecrets(value: JsonValue, levelsLeft: number, budget: { values: number }): JsonValue {
  budget.values -= 1;
  if (typeof value === 'string') return value.slice(0, VAR_CHARS_MAX);
  if (typeof value !== 'object' || value === null) return value;
  if (levelsLeft === 0 || budget.values < 0) return '…';
  if (Array.isArray(value)) {
    return value.slice(0, VARS_MAX).map((item) => withoutSecrets(item, levelsLeft - 1, budget));
  }
  const copy: JsonObject = {};
  let count = 0;
  for (const key in value) {
    if (count === VARS_MAX) break;
    count += 1;
    const content = value[key] ?? null;
    const shown = holdsSecret(key, content) ? REDACTED : withoutSecrets(content, levelsLeft - 1, budget);
    setOwn(copy, key, shown);
  }
  return copy;
}
