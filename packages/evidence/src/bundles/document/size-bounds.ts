import { TRUNCATED_MARK } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';

/** Bounds of docs/contract/incidents.md 3.8 in bytes of UTF-8, and our own for the texts it does not name. */
export const DOCUMENT_BYTES_MAX = 512 * 1024;
export const MESSAGE_BYTES_MAX = 4 * 1024;
const STACK_BYTES_MAX = 32 * 1024;
const STACK_TAIL_BYTES = 8 * 1024;
export const BODY_BYTES_MAX = 16 * 1024;
const MAP_ENTRIES_MAX = 64;
const MAP_VALUE_BYTES_MAX = 1024;
export const LOG_ITEMS_MAX = 50;
export const LOG_MESSAGE_BYTES_MAX = 2 * 1024;
export const LOG_ATTRIBUTES_BYTES_MAX = 4 * 1024;
export const FRONTEND_ITEMS_MAX = 50;
export const HTML_EXCERPT_BYTES_MAX = 4 * 1024;
export const PROBE_ITEMS_MAX = 50;
export const PROBE_DATA_BYTES_MAX = 8 * 1024;
export const CUSTOM_BYTES_MAX = 16 * 1024;
/** The bound of names, hosts, versions, selectors: texts that are short unless they are sent on purpose to be long. */
export const SHORT_TEXT_BYTES_MAX = 1024;
/** Small open maps, such as a framework's own runtime facts. */
export const SMALL_MAP_BYTES_MAX = 4 * 1024;

/** A value that was too large: how large it was, and its beginning. */
type TruncatedBody = { truncated: true; bytes: number; head: string };

/** The text, cut to at most `bytesMax` bytes with the mark at its end. */
export function cutText(text: string, bytesMax: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= bytesMax) return text;
  return takeHead(text, bytesMax - TRUNCATED_MARK.length) + TRUNCATED_MARK;
}

/** A stack of at most 32 KiB: 24 KiB of its head and 8 KiB of its tail, because a root cause sits at either end. */
export function cutStack(stack: string, bytesMax: number = STACK_BYTES_MAX): string {
  if (Buffer.byteLength(stack) <= bytesMax) return stack;
  const seam = `\n${TRUNCATED_MARK}\n`;
  const tailBytes = Math.min(STACK_TAIL_BYTES, Math.floor(bytesMax / 4));
  return takeHead(stack, bytesMax - tailBytes - seam.length) + seam + takeTail(stack, tailBytes);
}

/**
 * Returns a body unchanged, or its size and head when its text (JSON unless it is a string) is longer than the bound.
 */
export function boundBody(value: JsonValue, bytesMax: number = BODY_BYTES_MAX): JsonValue | TruncatedBody {
  const text = bodyText(value);
  const bytes = Buffer.byteLength(text);
  return bytes <= bytesMax ? value : { truncated: true, bytes, head: takeHead(text, bytesMax) };
}

/**
 * Applies `boundBody` to a request or response body. A body that was cut earlier is shown as its beginning even when
 * the rest is short, so that it is not mistaken for the whole. `bytes` then counts the kept part.
 */
export function boundCapturedBody(value: JsonValue): JsonValue | TruncatedBody {
  const bounded = boundBody(value);
  if (bounded !== value) return bounded;
  const text = bodyText(value);
  return text.includes(TRUNCATED_MARK)
    ? { truncated: true, bytes: Buffer.byteLength(text), head: text }
    : value;
}

/** `boundBody` of an open map. */
export function boundMap(map: JsonObject, bytesMax: number): JsonObject {
  const bounded = boundBody(map, bytesMax);
  return isJsonObject(bounded) ? bounded : {};
}

/** Headers or query: the first 64 entries, each value at most 1 KiB. */
export function boundEntries(map: JsonObject): JsonObject {
  const bounded: JsonObject = Object.create(null);
  for (const key of Object.keys(map).slice(0, MAP_ENTRIES_MAX)) {
    const value = map[key] ?? null;
    const text = bodyText(value);
    bounded[cutText(key, MAP_VALUE_BYTES_MAX / 4)] =
      Buffer.byteLength(text) <= MAP_VALUE_BYTES_MAX ? value : cutText(text, MAP_VALUE_BYTES_MAX);
  }
  return bounded;
}

/** The text whose bytes count: a string itself, any other value as compact JSON with its keys as captured. */
export function bodyText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The longest beginning of at most `bytesMax` bytes that does not split a character. */
export function takeHead(text: string, bytesMax: number): string {
  // A UTF-16 unit is at least one byte, so nothing past `bytesMax` units can stay.
  const bytes = Buffer.from(text.slice(0, Math.max(0, bytesMax)), 'utf8');
  let end = Math.min(bytes.length, Math.max(0, bytesMax));
  while (end > 0 && end < bytes.length && isContinuation(bytes[end])) end--;
  // The slice above may have cut a surrogate pair; its half became a replacement character that was not in the text.
  const head = bytes.toString('utf8', 0, end);
  return head.endsWith('\ufffd') && !text.startsWith(head) ? head.slice(0, -1) : head;
}

function takeTail(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(-bytesMax), 'utf8');
  let start = Math.max(0, bytes.length - bytesMax);
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  const tail = bytes.toString('utf8', start);
  return tail.startsWith('\ufffd') && !text.endsWith(tail) ? tail.slice(1) : tail;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
