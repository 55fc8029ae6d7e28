import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { framesOf, variablesOf, writtenFrames } from './event-frames.ts';
import { placesIn } from './frame-images.ts';
import { platformOf } from './service-facts.ts';
import { nameView, viewSource, withPlaceOfMessage } from './written-places.ts';
import { anyText, countOf, filled, textOf, valuesOf } from './written-values.ts';

const EXCEPTIONS_MAX = 20;
const FRAMES_MAX = 250;
/** The frames that every other exception of a chain keeps, however many the main one has. */
const FRAMES_OF_OTHERS = 30;
const FRAMES_WITH_VARS_MAX = 10;
const THREADS_SEARCHED_MAX = 1_000;
const NAME_CHARS_MAX = 512;
const MESSAGE_CHARS_MAX = 16_384;
const STACK_CHARS_MAX = 65_536;

/** The exceptions of an event and their frames, as the payload of either exception type names them. */
export interface MappedExceptions {
  name: string;
  message: string;
  isHandled: boolean;
  /** Outermost first. */
  exceptions: JsonObject[];
  threads: JsonObject[];
  /** The trace of the main one, where it is a text and no other has frames. */
  stack: string | null;
}

/** In older libraries of Go, only the level distinguishes a panic from an error that was captured. */
function isRecoveredPanic(event: JsonObject, written: readonly JsonObject[], platform: string): boolean {
  const says = written.some((each) => isJsonObject(each.mechanism));
  return platform === 'go' && event.level === 'fatal' && !says;
}

/** The entries of `exception`, the innermost first. One that is a text is the message or the trace of an error. */
export function writtenExceptions(event: JsonObject): JsonObject[] {
  const { exception } = event;
  const written = typeof exception === 'string' ? [exception] : valuesOf(exception);
  return written.flatMap((each) => {
    if (isJsonObject(each)) return [each];
    if (typeof each !== 'string' || each.trim() === '') return [];
    const [value = ''] = each.trim().split('\n', 1);
    return [value === each.trim() ? { value } : { value, stacktrace: each }];
  });
}

/** A trace that was sent as text, or as its lines. */
function textOfTrace({ stacktrace }: JsonObject): string | null {
  const lines = Array.isArray(stacktrace) ? stacktrace : [stacktrace];
  return lines.length > 0 && lines.every((line) => typeof line === 'string')
    ? textOf(lines.join('\n'), STACK_CHARS_MAX)
    : null;
}

/** The exceptions of an event that has some, or a crashed thread with frames; null for all others. */
export function exceptionsOf(event: JsonObject): MappedExceptions | null {
  const platform = platformOf(event);
  const chain = withSharedFrames(chainOf(writtenExceptions(event)), event);
  const written = platform === 'perl' ? chain.map(withPlaceOfMessage) : chain;
  const outermostFirst = ordered(written);
  const [main] = outermostFirst;
  const crashed = failedThreads(event).filter((thread) => thread.crashed === true);
  if (main === undefined && crashed.length === 0) return null;
  const holders = main === undefined ? crashed : [];
  const setting = {
    platform,
    areFlagsDropped: areFlagsDropped([...outermostFirst, ...holders], event, platform),
    findPlace: placesIn(event),
  };
  const view = platform === 'php' ? viewSource(written) : null;
  let framesLeft = FRAMES_MAX;
  const exceptions = outermostFirst.map((each, index) => {
    const others = (outermostFirst.length - index - 1) * FRAMES_OF_OTHERS;
    const share = Math.max(framesLeft - others, Math.min(framesLeft, FRAMES_OF_OTHERS));
    const frames = framesOf(each, setting, share);
    if (view !== null) nameView(frames, view);
    framesLeft -= frames.length;
    if (index === 0) addVariables(frames, each, share);
    return exceptionOf(each, frames, platform);
  });
  return {
    name: main === undefined ? 'Crash' : typeName(main, platform) || 'Error',
    message: main === undefined ? '' : messageOf(main),
    isHandled:
      main !== undefined &&
      !written.some((each) => isJsonObject(each.mechanism) && each.mechanism.handled === false) &&
      !isRecoveredPanic(event, written, platform),
    exceptions,
    stack: main === undefined || written.some(hasFrames) ? null : textOfTrace(main),
    threads: holders.map((thread) => ({
      crashed: thread.crashed === true,
      frames: framesOf(thread, setting, framesLeft),
    })),
  };
}

/**
 * Those that threw each other. Java adds what failed while a resource was closed, and React where in its tree an error was
 * caught: neither is a cause.
 */
function chainOf(written: readonly JsonObject[]): readonly JsonObject[] {
  const chain = written.filter((each) => !isBeside(each));
  return chain.length === 0 ? written : chain;
}

/** Returns true if an exception was thrown in addition to the chain and not within it. */
export function isBeside({ type, mechanism }: JsonObject): boolean {
  if (objectOrEmpty(mechanism).type === 'suppressed') return true;
  return typeof type === 'string' && type.startsWith('React ErrorBoundary ');
}

/** Ruby writes the class behind the first line of a detailed message. */
function messageOf({ type, value }: JsonObject): string {
  const message = anyText(value, MESSAGE_CHARS_MAX);
  if (typeof type !== 'string' || !message.includes(` (${type})`)) return message;
  const end = message.indexOf('\n') === -1 ? message.length : message.indexOf('\n');
  const suffix = ` (${type})`;
  return message.slice(0, end).endsWith(suffix)
    ? message.slice(0, end - suffix.length) + message.slice(end)
    : message;
}

/** The main one first, then the others from the outermost to the innermost. */
function ordered(written: readonly JsonObject[]): JsonObject[] {
  const main = mainOf(written);
  if (main === undefined) return [];
  const others = written.filter((each) => each !== main).reverse();
  return [main, ...others].slice(0, EXCEPTIONS_MAX);
}

function mainOf(written: readonly JsonObject[]): JsonObject | undefined {
  return written.find((each) => objectOrEmpty(each.mechanism).exception_id === 0) ?? written.at(-1);
}

/**
 * The entries as a chain. Go numbered them from the innermost for two years and called each of them a group, so that its
 * numbers and groups say nothing: a real group has members that are none.
 */
function withoutFalseGroups(written: readonly JsonObject[]): readonly JsonObject[] {
  if (!written.every((each) => objectOrEmpty(each.mechanism).is_exception_group === true)) return written;
  return written.map((each) => {
    const {
      exception_id: _id,
      parent_id: _parent,
      is_exception_group: _group,
      ...mechanism
    } = objectOrEmpty(each.mechanism);
    return { ...each, mechanism };
  });
}

/**
 * Returns the entries with shared frames: if no entry has frames, those of the thread that threw, or of the event, are
 * the main one's. Libraries of phones name the thread alone, and the oldest of pages put the stack next to the
 * exception.
 */
function withSharedFrames(entries: readonly JsonObject[], event: JsonObject): readonly JsonObject[] {
  const written = withoutFalseGroups(entries);
  const main = mainOf(written);
  if (main === undefined || written.some(hasFrames)) return written;
  const threads = failedThreads(event);
  const holder = threads.find(({ id }) => id !== undefined && id === main.thread_id) ?? threads[0] ?? event;
  if (!hasFrames(holder)) return written;
  const { stacktrace = null, raw_stacktrace = null } = holder;
  return written.map((each) => (each === main ? { ...each, stacktrace, raw_stacktrace } : each));
}

function exceptionOf(written: JsonObject, frames: JsonObject[], platform: string): JsonObject {
  const mechanism = objectOrEmpty(written.mechanism);
  return filled({
    type: typeName(written, platform),
    message: messageOf(written),
    module: textOf(written.module, NAME_CHARS_MAX),
    mechanism: isJsonObject(written.mechanism)
      ? filled({
          type: textOf(mechanism.type, 128),
          handled: typeof mechanism.handled === 'boolean' ? mechanism.handled : null,
          id: countOf(mechanism.exception_id),
          parent_id: countOf(mechanism.parent_id),
          is_group: mechanism.is_exception_group === true ? true : null,
        })
      : null,
    frames,
  });
}

/** Java keeps the package of a class apart. */
function typeName(written: JsonObject, platform: string): string {
  // PHP calls a class without a name after the one it extends, and adds its file and line behind a NUL.
  const [type = ''] = textOf(written.type, NAME_CHARS_MAX)?.trim().split('@anonymous\0', 1) ?? [];
  const module = textOf(written.module, NAME_CHARS_MAX)?.trim() ?? '';
  if (platform !== 'java' || type === '' || module === '' || type.startsWith(`${module}.`)) return type;
  return `${module}.${type}`;
}

function hasFrames(holder: JsonObject): boolean {
  return writtenFrames(holder, 1).length > 0;
}

/** The threads that crashed, else the one that was running. */
function failedThreads(event: JsonObject): JsonObject[] {
  const threads = valuesOf(event.threads).slice(0, THREADS_SEARCHED_MAX).filter(isJsonObject);
  const crashed = threads.filter((thread) => thread.crashed === true);
  const failed = crashed.length > 0 ? crashed : threads.filter((thread) => thread.current === true);
  return failed.filter(hasFrames).slice(0, 2);
}

/**
 * Ruby marks every frame false when a script runs outside of its root, and the library of pages every one true, those of
 * foreign scripts as well: our own rules decide then.
 */
function areFlagsDropped(holders: readonly JsonObject[], event: JsonObject, platform: string): boolean {
  const flags = new Set<JsonValue | undefined>();
  for (const holder of holders) {
    for (const frame of writtenFrames(holder, FRAMES_MAX)) flags.add(frame.in_app);
  }
  if (!flags.has(true)) return true;
  return (
    platform === 'javascript' && !flags.has(false) && objectOrEmpty(event.contexts).runtime === undefined
  );
}

/** Those of the newest frames of the application, or of the newest ones where none is called its own. */
function addVariables(frames: JsonObject[], holder: JsonObject, framesMax: number): void {
  const written = writtenFrames(holder, framesMax);
  const isOwnKnown = written.some((frame) => frame.in_app === true);
  let count = 0;
  for (let index = 0; index < frames.length && count < FRAMES_WITH_VARS_MAX; index += 1) {
    const frame = written[index];
    if (frame === undefined || (isOwnKnown && frame.in_app !== true)) continue;
    count += 1;
    const variables = variablesOf(frame);
    const target = frames[index];
    if (variables !== null && target !== undefined) target.vars = variables;
  }
}
