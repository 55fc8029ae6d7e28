import { REDACTED } from '../../../contract/src/events/secret-keys.ts';
import { attempt } from '../attempt.ts';
import type { Host } from '../sending/host.ts';
import type { JsonObject, JsonValue } from '../wire.ts';
import type { Redaction } from './redact.ts';

export const TRUNCATED = '[Truncated]';
const TEXT_CHARS_MAX = 2048;
const OWN_CHARS_MAX: Readonly<Record<string, number>> = { message: 8192, stack: 65_536 };
/** More than any text of an event keeps. */
const SAID_CHARS_MAX = 16_384;
const STACK_INSIDE_CHARS_MAX = 16_384;
const HEADER_CHARS_MAX = 500;
const EVENT_VALUES_MAX = 1000;
const EVENT_CHARS_MAX = 262_144;
/** For objects whose reading runs code of the host, as proxies do. A pause of the process is no reading. */
const HOSTILE_MS = 100;
const PAUSE_MS = 40;
/** Names of what is exchanged with a server, which holds what users entered. */
export const EXCHANGED: RegExp =
  /body|data|param|payload|query|^(?:config|form|headers|options|re(?:quest|sponse.*)|variables)$/i;

export interface Cleaner {
  /**
   * JSON of any value (docs/contract/clients.md 10.2): redacted, bounded, without calling accessors, `toJSON` or
   * `valueOf`. Never throws. All calls of one cleaner share the bounds of one event.
   * @param chars bound of a text; those inside objects keep 2,048
   * @param depth levels below it that are kept
   * @param entries that are kept of each object and list
   */
  value(value: unknown, chars?: number, depth?: number, entries?: number): JsonValue;
  /** The same of an object's own members: always an object. */
  membersOf(value: object): JsonObject;
  /** Cleans a payload, whose own message, stack and causes have separate bounds; a thrown value becomes JSON. */
  payload(payload: object): JsonObject;
}

/** Creates a cleaning with bounds by counts, so that an event keeps the same whether the code is cold or warm. */
export function createCleaning(
  host: Pick<Host, 'now' | 'describe' | 'isError'>,
  redaction: Redaction,
): () => Cleaner {
  return () => {
    const path: object[] = [];
    let valuesLeft = EVENT_VALUES_MAX;
    let charsLeft = EVENT_CHARS_MAX;
    let msLeft = HOSTILE_MS;
    let entriesMax = 50;
    let isThrown = false;

    /** Runs reads that can call code of the host. Own work is not counted: cold code can take any time. */
    const timed = <Result>(read: () => Result): Result => {
      const startMs = host.now();
      try {
        return read();
      } finally {
        msLeft -= Math.min(host.now() - startMs, PAUSE_MS);
      }
    };

    const text = (whole: string, wanted = TEXT_CHARS_MAX): string => {
      const chars = Math.min(wanted, charsLeft);
      charsLeft = Math.max(TRUNCATED.length, charsLeft - Math.min(whole.length, chars));
      // A secret that the cut would halve is still seen whole.
      const redacted = redaction.text(whole.slice(0, chars + 128));
      return whole.length > chars || redacted.length > chars
        ? redacted.slice(0, chars - TRUNCATED.length) + TRUNCATED
        : redacted;
    };

    /** Own enumerable members of an object, or items of a list. */
    const children = (source: object, depth: number, into: { [key: string]: JsonValue }): JsonValue => {
      const items = Array.isArray(source) && source;
      const keys = items || timed(() => Reflect.ownKeys(source));
      let count = 0;
      for (let i = 0; i < keys.length; i += 1) {
        const key = items ? i : keys[i];
        const member = timed(() => Object.getOwnPropertyDescriptor(source, key));
        if (items || (member?.enumerable && typeof key === 'string')) {
          if (count === entriesMax || valuesLeft < 1 || msLeft < 0) {
            into[items ? i : TRUNCATED] = TRUNCATED;
            break;
          }
          count += 1;
          const isGetter = member && 'get' in member;
          into[items ? i : text(key, 256)] =
            (isThrown && EXCHANGED.test(key)) ||
            redaction.isSecret(String(key), isGetter ? REDACTED : member?.value)
              ? REDACTED
              : isGetter
                ? '[Getter]'
                : visit(member?.value, TEXT_CHARS_MAX, depth - 1);
        }
      }
      return into;
    };

    const inside = (value: object, depth: number): JsonValue => {
      const described = host.describe?.(value);
      if (described !== undefined) return described;
      if (timed(() => value instanceof Error || host.isError?.(value))) {
        const [message, stack] = readSaid(value);
        return {
          name: text(readText(value, 'name')),
          message: text(message),
          stack: text(stack, STACK_INSIDE_CHARS_MAX),
        };
      }
      if (value instanceof Date) return Date.prototype.toISOString.call(value);
      if (value instanceof RegExp) return text(RegExp.prototype.toString.call(value));
      for (const kind of [Promise, WeakMap, WeakSet]) if (value instanceof kind) return `[${kind.name}]`;
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
        return `[Binary ${readProperty(value, 'byteLength')} bytes]`;
      }
      if (depth < 1) return TRUNCATED;
      if (Array.isArray(value)) return children(value, depth, [] as never);
      if (value instanceof Set) return children(first(Set.prototype.values.call(value)), depth, [] as never);
      return children(
        value instanceof Map
          ? Object.fromEntries(
              first(Map.prototype.entries.call(value)).map(([key, each]) => [
                typeof key === 'object' ? '[Object]' : String(key),
                each,
              ]),
            )
          : value,
        depth,
        members0(),
      );
    };

    const first = <Item>(items: Iterable<Item>): Item[] => {
      const taken: Item[] = [];
      for (const item of items) if (taken.push(item) > entriesMax) break;
      return taken;
    };

    const visit = (value: unknown, chars: number, depth: number): JsonValue => {
      valuesLeft -= 1;
      if (valuesLeft < 0 || msLeft < 0) return TRUNCATED;
      if (value == null || value === true || value === false || Number.isFinite(value)) {
        return (value ?? null) as JsonValue;
      }
      if (typeof value === 'function') return '[Function]';
      if (typeof value !== 'object') {
        // A larger integer takes long to write.
        return typeof value === 'bigint' && !Number.isFinite(Number(value))
          ? TRUNCATED
          : text(String(value), chars);
      }
      if (path.includes(value)) return '[Circular]';
      path.push(value);
      try {
        return inside(value, depth);
      } catch {
        return '[Unreadable]';
      } finally {
        path.pop();
      }
    };

    const payload = (source: object): JsonObject => {
      const out = members0();
      for (const [key, value] of Object.entries(source)) {
        if (key === 'causes') out[key] = value.map(payload);
        else if (key === 'message' && typeof value !== 'string') {
          isThrown = true;
          out[key] = JSON.stringify(visit(value, 512, 8)).slice(0, 512);
          isThrown = false;
        } else if (value !== undefined) out[key] = visit(value, OWN_CHARS_MAX[key] ?? TEXT_CHARS_MAX, 8);
      }
      return out;
    };

    return {
      value(value, chars = TEXT_CHARS_MAX, depth = 8, entries = 50) {
        entriesMax = entries;
        const json = visit(value, chars, depth);
        entriesMax = 50;
        return json;
      },
      membersOf(value) {
        const json = visit(value, 0, 8);
        return isJsonObject(json) ? json : {};
      },
      payload,
    };
  };
}

/**
 * A text of an error, without what is written into those of HTTP clients: the queries of addresses, and at the end a
 * whole exchange as JSON (by graphql-request, and by zone.js of Angular) or the variable that GraphQL refuses.
 */
export function bareText(said: string): string {
  return said
    .slice(0, SAID_CHARS_MAX)
    .replace(/((?:https?:\/|^|[\s"'])\/[^\s?#"'<>]{0,2048})[?#][^\s"'<>]+/g, '$1')
    .replace(/(?:: \{"(?:headers|response)":|( got invalid value) ).*/s, '$1');
}

/**
 * Message and stack of an error, bare. The header of the stack repeats no long message, so that its frames are kept. It
 * may say more than the message: that of `fetch` does in Chromium.
 */
export function readSaid(error: unknown): [message: string, stack: string] {
  const said = readText(error, 'message');
  const message = bareText(said);
  const header = message.length > TEXT_CHARS_MAX ? message.slice(0, HEADER_CHARS_MAX) + TRUNCATED : message;
  const stack = readText(error, 'stack').replace(said, () => header);
  return [message, stack.replace(/^.*?(?=\n {4}at )/s, bareText)];
}

/** Returns true if a value of JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a prototype `__proto__` is a member like any other. */
function members0(): JsonObject {
  return Object.create(null);
}

/**
 * A property without running the host's code, where it is no Error: own accessors are not called, but for those of the
 * engine (V8 makes `stack` one). Those of Errors are, because validators such as zod make their texts when they are read,
 * and inherited ones, because DOM exceptions and classes of errors say their name so.
 */
export function readProperty(of: unknown, key: string): unknown {
  return attempt(() => {
    const value = Object(of);
    const get = Object.getOwnPropertyDescriptor(value, key)?.get;
    return get && !(value instanceof Error) && !/\[native code]/.test(Function.prototype.toString.call(get))
      ? undefined
      : value[key];
  });
}

/** A property that is a text or a number, as a text; otherwise an empty one. */
export function readText(value: unknown, key: string): string {
  return textOf(readProperty(value, key));
}

export function textOf(value: unknown): string {
  return /^(?:st|nu)/.test(typeof value) ? String(value) : '';
}
