import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { safeText, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';

/**
 * A stack as text: lists of lines are joined, frame objects rendered one line a frame (docs/contract/incidents.md
 * 5.2). Null for a blank stack, which says as much as none.
 */
export function stackText(stack: JsonValue | undefined): string | null {
  const text = Array.isArray(stack) ? joinLines(stack) : typeof stack === 'string' ? stack : '';
  return text.length === 0 || /^\s*$/.test(text) ? null : safeText(text, TEXT_CHARS_MAX.stack);
}

/** Stops behind the bound of a stack; the cut is made there. */
function joinLines(lines: readonly JsonValue[]): string {
  let text = '';
  for (const line of lines) {
    const rendered = isJsonObject(line) ? frameLine(line) : typeof line === 'string' ? line : '';
    if (rendered.length === 0) continue;
    text += text.length === 0 ? rendered : `\n${rendered}`;
    if (text.length > TEXT_CHARS_MAX.stack) break;
  }
  return text;
}

/** `at class.method(file:line)` with a class, else `at function (file:line:column)`. */
function frameLine(frame: JsonObject): string {
  const className = part(frame, 'class');
  const file = part(frame, 'file');
  const name =
    part(frame, className.length > 0 ? 'method' : 'function') ||
    part(frame, 'function') ||
    part(frame, 'method');
  const line = positivePart(frame, 'line');
  if (className.length > 0) {
    const place = file.length === 0 ? 'Unknown Source' : line.length === 0 ? file : `${file}:${line}`;
    return `at ${className}.${name || '<unknown>'}(${place})`;
  }
  const column = positivePart(frame, 'column');
  const place = [file || '<anonymous>', line, line.length === 0 ? '' : column]
    .filter((each) => each.length > 0)
    .join(':');
  if (name.length === 0) return file.length === 0 ? '' : `at ${place}`;
  return `at ${name} (${place})`;
}

/** Line breaks inside a part would forge a frame. */
function part(frame: JsonObject, key: string): string {
  const value = getOwn(frame, key);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.replace(/[\r\n]+/g, ' ').trim() : '';
}

/** Virtual machines write -1 or -2 for a line they do not know. */
function positivePart(frame: JsonObject, key: string): string {
  const text = part(frame, key);
  return /^\d+$/.test(text) && text !== '0' ? text : '';
}
