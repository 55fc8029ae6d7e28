import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { EventType } from '../normalize/event.ts';
import { identifierHash } from '../redact/identifier-hash.ts';

/**
 * The private grouping keys of published client libraries, computed from the events that they send, so that a report of
 * suppressed repeats finds the incident of the events that were sent before (docs/contract/incidents.md 5.10). The
 * server's own grouping never uses them.
 */

/** The events that a library suppresses, and the key of an event in its reports. */
interface LibraryKeys {
  onlyExceptions?: true;
  /** The keys under which the library may report this event: one, or one for each of its releases. */
  keys(type: EventType, payload: JsonObject): readonly bigint[];
}

/**
 * By library name. Java writes the members of a frame in an order that differs by process, so its exceptions with frames
 * have no key here; how mobile libraries write theirs is not known.
 */
const LIBRARIES: Readonly<Record<string, LibraryKeys>> = {
  '@debugbundle/sdk-node': { keys: (type, payload) => hashed(serverKey(type, payload, 'stack')) },
  '@debugbundle/sdk-java': { keys: (type, payload) => hashed(serverKey(type, payload, 'no frames')) },
  '@debugbundle/sdk-browser': {
    keys: (type, payload) => browserKey(type, payload).map((key) => clientKey(fnv1aHex(key))),
  },
  'debugbundle-python': {
    onlyExceptions: true,
    keys: (type, payload) => hashed(textKey(':', type, ...exceptionTexts(payload))),
  },
  'debugbundle/sdk-php': {
    onlyExceptions: true,
    keys: (type, payload) => hashed(textKey(':', type, ...exceptionTexts(payload))),
  },
  '@debugbundle/sdk-ruby': {
    onlyExceptions: true,
    // Releases differ in whether the type leads.
    keys: (type, payload) =>
      hashed(textKey(':', ...exceptionTexts(payload)), textKey(':', type, ...exceptionTexts(payload))),
  },
  '@debugbundle/sdk-dotnet': {
    keys: (type, payload) =>
      hashed(textKey('|', type, payload.name, payload.message, payload.method, payload.path)),
  },
  // The key is sent unchanged, without a digest. There a level has a special type, which some releases read as empty
  // text, and the status is searched under a name that the event does not have.
  '@debugbundle/sdk-go': { keys: (type, payload) => goKeys(type, payload).map(clientKey) },
};

/** Keys of a counted signal, by which a report of its library may name it; none where the library is not known. */
export function clientKeys(library: string, type: EventType, payload: JsonObject): readonly bigint[] {
  const known = Object.hasOwn(LIBRARIES, library) ? LIBRARIES[library] : undefined;
  if (known === undefined || (known.onlyExceptions && type !== 'backend_exception')) return [];
  return known.keys(type, payload);
}

/** 64 bits of a fingerprint as a report names it, as the signed number that a `bigint` column holds. */
export function clientKey(fingerprint: string): bigint {
  return SHA_256_HEX.test(fingerprint) ? signalKey(fingerprint) : identifierHash(fingerprint);
}

/** The first 64 bits of a fingerprint of the server, as the signed number that a `bigint` column holds. */
export function signalKey(fingerprint: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${fingerprint.slice(0, 16)}`));
}

/** Returns true if the library suppresses only exceptions. */
export function suppressesOnlyExceptions(library: string): boolean {
  return Object.hasOwn(LIBRARIES, library) && LIBRARIES[library]?.onlyExceptions === true;
}

const SHA_256_HEX = /^[0-9a-f]{64}$/;

/** The key of server libraries that write it as JSON; null for what they do not suppress. */
function serverKey(type: EventType, payload: JsonObject, stacks: 'stack' | 'no frames'): string | null {
  switch (type) {
    case 'backend_exception':
      return JSON.stringify({
        event_type: type,
        name: payload.name,
        message: payload.message,
        stack: stacks === 'stack' ? payload.stack : [],
        path: getOwn(objectOrEmpty(payload.request), 'path'),
        status: getOwn(objectOrEmpty(payload.response), 'status_code'),
      });
    case 'request_event':
      return JSON.stringify({
        event_type: type,
        method: payload.method,
        path: payload.path,
        status: payload.response_status,
        route_template: payload.route_template ?? null,
      });
    case 'log_event':
      return logKey(payload);
    default:
      return null;
  }
}

function browserKey(type: EventType, payload: JsonObject): string[] {
  switch (type) {
    case 'frontend_exception': {
      const { name, message, stack, route } = payload;
      const frame = typeof stack === 'string' ? (secondLine(stack)?.trim() ?? null) : null;
      return [JSON.stringify({ event_type: type, name, message, stack_frame: frame, route })];
    }
    case 'request_event': {
      const { method, path, response_status } = payload;
      return [JSON.stringify({ event_type: type, method, path, response_status })];
    }
    case 'log_event':
      return [logKey(payload)];
    default:
      return [];
  }
}

function logKey({ level, message, attributes }: JsonObject): string {
  return JSON.stringify({ event_type: 'log_event', level, message, attributes });
}

function goKeys(type: EventType, payload: JsonObject): string[] {
  const text = (value: JsonValue | undefined) => asText(value).trim();
  switch (type) {
    case 'backend_exception':
      return [textKey(':', type, text(payload.name), text(payload.message))];
    case 'log_event':
      return [text(payload.level), ''].map((level) => textKey(':', type, level, text(payload.message)));
    case 'request_event': {
      const request = [type, text(payload.method), text(payload.path)];
      return ['<nil>', asText(payload.response_status)].map((status) => textKey(':', ...request, status));
    }
    default:
      return [];
  }
}

function exceptionTexts({ name, message, stack }: JsonObject): (JsonValue | undefined)[] {
  return [name, message, stack];
}

function textKey(separator: string, ...parts: readonly (JsonValue | undefined)[]): string {
  return parts.map(asText).join(separator);
}

function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function secondLine(text: string): string | undefined {
  const start = text.indexOf('\n') + 1;
  if (start === 0) return undefined;
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? undefined : end);
}

/** Returns the first bytes of the SHA-256 of each key, as `clientKey` does with those that libraries send in hexadecimal digits. */
function hashed(...keys: readonly (string | null)[]): bigint[] {
  return keys.flatMap((key) => (key === null ? [] : identifierHash(key)));
}

/** FNV-1a of 32 bits over UTF-16 code units, as eight hexadecimal digits. */
function fnv1aHex(text: string): string {
  let digest = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    digest = Math.imul(digest ^ text.charCodeAt(index), 0x01000193);
  }
  return (digest >>> 0).toString(16).padStart(8, '0');
}
