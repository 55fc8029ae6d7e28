import type { JsonObject } from '../../events/envelope/json.ts';
import { writtenFrames } from './event-frames.ts';
import { anyText } from './written-values.ts';

/** Places that a message says and no frame. */

const MESSAGE_CHARS_READ = 4_096;
/** Perl adds the input that was read last. */
const DIED_AT = / at (\S{1,500}) line (\d{1,9})(?:, <[^<>]{0,100}> (?:line|chunk) \d{1,12})?\.?\s{0,8}$/;

/** `no stock at lib/Shop/Cart.pm line 12.`: all that Perl says of an error that died as text. */
export function withPlaceOfMessage(exception: JsonObject): JsonObject {
  if (writtenFrames(exception, 1).length > 0) return exception;
  const [first = ''] = anyText(exception.value, MESSAGE_CHARS_READ).trimEnd().split('\n', 1);
  const [, filename, line] = DIED_AT.exec(first) ?? [];
  if (filename === undefined) return exception;
  return { ...exception, stacktrace: { frames: [{ filename, lineno: Number(line) }] } };
}

const VIEW = /\(View: ([^()]{1,500})\)/;
/** Laravel compiles its templates to files with the hash of their path. */
const COMPILED_VIEW = /\/framework\/views\/[0-9a-f]{32,64}\.php$/;

/** Returns the template that Laravel says an error is of; null for none. */
export function viewSource(exceptions: readonly JsonObject[]): string | null {
  for (const { value } of exceptions) {
    const [, path] = VIEW.exec(anyText(value, MESSAGE_CHARS_READ)) ?? [];
    if (path !== undefined) return path.slice(Math.max(0, path.lastIndexOf('/resources/') + 1));
  }
  return null;
}

/** Lets the newest frame of a compiled template be of the template that people wrote. */
export function nameView(frames: readonly JsonObject[], view: string): void {
  const frame = frames.find(({ file }) => typeof file === 'string' && COMPILED_VIEW.test(file));
  if (frame === undefined) return;
  frame.file = view;
  delete frame.abs_path;
}
