import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import { isJsonObject, type JsonObject, type JsonValue } from '../events/envelope/json.ts';
import { getOwn } from '../events/envelope/own-property.ts';
import { countOrNull, filledObjectOrNull, firstFilled, objectOrEmpty } from '../events/envelope/read-json.ts';
import { safeText, safeTextOrNull, TEXT_CHARS_MAX } from '../events/envelope/safe-text.ts';
import { readAnyStack } from '../events/fingerprint/stack/read-stack.ts';
import type { EventFacts } from '../events/normalize/event-facts.ts';
import { exceptionMessage, exceptionName } from '../events/normalize/normalize-exception.ts';
import { stackText } from '../events/normalize/stack-text.ts';
import { type ClientFact, clientOf } from './client-kind.ts';
import { readWebAddress, type WebAddress } from './web-address.ts';

export type RuntimeFact = NonNullable<CaptureMatcher['runtime']>[number];
type BrowserEventFact = Readonly<{
  kind: NonNullable<CaptureMatcher['browser_event_kind']>;
  opaque: boolean;
}>;

/**
 * The facts of one event that filters compare (docs/contract/ingestion.md 5.2), in the form that the service stores and
 * shows: one spelling, cleaned, secrets redacted. Each fact is computed when a rule first needs it, because most rules
 * are about the few that need no second reading of the event. Null is a fact that the event does not have.
 */
export class RuleFacts {
  readonly event: EventFacts;
  /** The fingerprint that `fingerprintText` returns; null if none was needed or the event has none. */
  readonly fingerprint: string | null;
  readonly #readRaw: () => JsonObject;
  #raw: JsonObject | undefined;
  #errorName: string | null | undefined;
  #message: string | null | undefined;
  #browserEvent: BrowserEventFact | null | undefined;
  #resourceAddress: WebAddress | null | undefined;
  #request: RequestFact | undefined;
  #client: ClientFact | null | undefined;

  /** @param readRaw the event's JSON, an event that passed `checkEvent` */
  constructor(event: EventFacts, readRaw: () => JsonObject, fingerprint: string | null) {
    this.event = event;
    this.#readRaw = readRaw;
    this.fingerprint = fingerprint;
  }

  get runtime(): RuntimeFact {
    const { runtime } = objectOrEmpty(this.#json.service);
    return (typeof runtime === 'string' ? RUNTIMES.get(runtime) : undefined) ?? 'unknown';
  }

  /** The name of an exception's error. */
  get errorName(): string | null {
    if (this.#errorName === undefined) {
      this.#errorName = isException(this.event) ? exceptionName(this.#payload) : null;
    }
    return this.#errorName;
  }

  /** The message of an exception or a log. */
  get message(): string | null {
    if (this.#message === undefined) this.#message = this.#readMessage();
    return this.#message;
  }

  /** The browser event of a `frontend_exception`. */
  get browserEvent(): BrowserEventFact | null {
    if (this.#browserEvent === undefined) {
      this.#browserEvent = this.event.eventType === 'frontend_exception' ? this.#readBrowserEvent() : null;
    }
    return this.#browserEvent;
  }

  /** The address of a `frontend_exception`: that of its target, else of its file. */
  get resourceAddress(): WebAddress | null {
    if (this.#resourceAddress === undefined) {
      const browserEvent = objectOrEmpty(this.#payload.browser_event);
      this.#resourceAddress =
        this.event.eventType === 'frontend_exception'
          ? (addressIn(objectOrEmpty(getOwn(browserEvent, 'target')), 'source_url') ??
            addressIn(browserEvent, 'file_name'))
          : null;
    }
    return this.#resourceAddress;
  }

  /** The address of a `backend_exception`, a `request_event` or a network breadcrumb. */
  get requestAddress(): WebAddress | null {
    return this.#requestFact.address;
  }

  /** HTTP status, of the same. */
  get status(): number | null {
    return this.#requestFact.status;
  }

  /** Returns whether the address belongs to the application itself; null if that is unknown. */
  get isFirstParty(): boolean | null {
    switch (this.event.eventType) {
      case 'frontend_exception':
        return isRelative(this.resourceAddress);
      case 'backend_exception':
      case 'request_event':
        return isRelative(this.requestAddress) ?? true;
      default:
        return isRelative(this.requestAddress);
    }
  }

  /** Null for an event without a device and a user agent. */
  get client(): ClientFact | null {
    if (this.#client === undefined) this.#client = this.#readClient();
    return this.#client;
  }

  get #json(): JsonObject {
    this.#raw ??= this.#readRaw();
    return this.#raw;
  }

  get #payload(): JsonObject {
    return objectOrEmpty(this.#json.payload);
  }

  get #exception(): { payload: JsonObject; error: JsonObject } {
    const payload = this.#payload;
    return { payload, error: objectOrEmpty(payload.error) };
  }

  get #requestFact(): RequestFact {
    this.#request ??= this.#readRequest();
    return this.#request;
  }

  #readMessage(): string | null {
    if (this.event.eventType === 'log_event') {
      const { message } = this.#payload;
      return typeof message === 'string' ? safeText(message, TEXT_CHARS_MAX.message) : '';
    }
    if (!isException(this.event)) return null;
    const { payload, error } = this.#exception;
    const message = firstFilled(payload.message, error.message);
    // The stack is long and only asked where there is no message.
    const isGiven = typeof message === 'string' && message.length > 0;
    const stack = isGiven
      ? null
      : stackText(firstFilled(payload.stack, payload.stacktrace, error.stack_trace));
    return exceptionMessage(message, this.errorName ?? '', stack);
  }

  #readBrowserEvent(): BrowserEventFact | null {
    const browserEvent = filledObjectOrNull(this.#payload.browser_event);
    if (browserEvent !== null) {
      const kind = getOwn(browserEvent, 'kind') === 'resource_error' ? 'resource_error' : 'window_error';
      return { kind, opaque: getOwn(browserEvent, 'opaque') === true };
    }
    // Older libraries send no browser event; grouping takes their hidden errors for the same
    // (docs/contract/incidents.md 5.4.2).
    return SCRIPT_ERROR.test(this.message ?? '') && !this.#hasFrames() ? OPAQUE_WINDOW_ERROR : null;
  }

  #hasFrames(): boolean {
    const { payload, error } = this.#exception;
    const stack = stackText(firstFilled(payload.stack, payload.stacktrace, error.stack_trace));
    return stack !== null && (stack.length > BARE_STACK_CHARS_MAX || readAnyStack(stack, 'js') !== null);
  }

  #readRequest(): RequestFact {
    const { event } = this;
    if (event.request !== null) {
      const { path, status } = event.request;
      return { address: addressOf(safeTextOrNull(path, TEXT_CHARS_MAX.url)), status };
    }
    if (event.eventType === 'backend_exception') {
      const request = this.#exchangePart('request') ?? {};
      const response = this.#exchangePart('response') ?? {};
      return {
        address: addressIn(request, 'path') ?? addressIn(request, 'url'),
        status: countOrNull(getOwn(response, 'status_code')),
      };
    }
    if (event.eventType !== 'frontend_breadcrumb') return NO_REQUEST;
    const { payload } = this.#exception;
    const type = payload.breadcrumb_type ?? payload.type ?? payload.category;
    if (type !== 'network_request' && type !== 'network') return NO_REQUEST;
    const data = objectOrEmpty(payload.data);
    return {
      address: addressIn(data, 'url'),
      status: countOrNull(getOwn(data, 'status_code')) ?? countOrNull(getOwn(data, 'status')),
    };
  }

  /**
   * The request or response of an exception; what the payload lacks is taken from the context
   * (docs/contract/incidents.md 5.2).
   */
  #exchangePart(key: 'request' | 'response'): JsonObject | null {
    const own = filledObjectOrNull(this.#payload[key]);
    if (own !== null) return own;
    const context = objectOrEmpty(this.#json.context);
    const holder = Object.hasOwn(context, key) ? context : objectOrEmpty(this.#payload.context);
    return filledObjectOrNull(getOwn(holder, key));
  }

  #readClient(): ClientFact | null {
    const payload = this.#payload;
    const device = filledObjectOrNull(payload.device) ?? filledObjectOrNull(this.#json.device);
    const userAgent =
      textIn(device ?? {}, 'user_agent') ??
      (this.event.eventType === 'frontend_exception' ? textIn(payload, 'user_agent') : null) ??
      this.#headerUserAgent();
    return device === null && userAgent === null ? null : clientOf(userAgent);
  }

  /** Returns the user agent of the request that a server was answering. */
  #headerUserAgent(): string | null {
    if (this.event.eventType === 'request_event') {
      return headerIn(this.#payload.headers ?? this.#payload.request_headers, 'user-agent');
    }
    if (this.event.eventType !== 'backend_exception') return null;
    return headerIn(getOwn(this.#exchangePart('request') ?? {}, 'headers'), 'user-agent');
  }
}

interface RequestFact {
  address: WebAddress | null;
  status: number | null;
}

const NO_REQUEST: RequestFact = { address: null, status: null };
const SCRIPT_ERROR = /^\s*Script error\.?\s*$/;
/** A longer stack contains more than a repetition of the message. */
const BARE_STACK_CHARS_MAX = 2000;
const OPAQUE_WINDOW_ERROR: BrowserEventFact = { kind: 'window_error', opaque: true };

/** Runtimes as libraries name them; every other is `unknown`. */
const RUNTIMES: ReadonlyMap<string, RuntimeFact> = new Map([
  ['browser', 'browser'],
  ['node', 'node'],
  ['nodejs', 'node'],
  ['python', 'python'],
  ['php', 'php'],
  ['java', 'java'],
  ['go', 'go'],
  ['golang', 'go'],
  ['ruby', 'ruby'],
]);

/** Names of one map that are looked through; more are not kept of an event either. */
const HEADERS_MAX = 200;

function isException({ eventType }: EventFacts): boolean {
  return eventType === 'backend_exception' || eventType === 'frontend_exception';
}

function isRelative(address: WebAddress | null): boolean | null {
  return address === null ? null : !address.isAbsolute;
}

function addressOf(text: string | null): WebAddress | null {
  return text === null ? null : readWebAddress(text);
}

function addressIn(source: JsonObject, key: string): WebAddress | null {
  return addressOf(safeTextOrNull(getOwn(source, key), TEXT_CHARS_MAX.url));
}

function textIn(source: JsonObject, key: string): string | null {
  return safeTextOrNull(getOwn(source, key), TEXT_CHARS_MAX.other);
}

function headerIn(headers: JsonValue | undefined, name: string): string | null {
  if (!isJsonObject(headers)) return null;
  let looked = 0;
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) {
      const value = headers[key];
      return safeTextOrNull(Array.isArray(value) ? value[0] : value, TEXT_CHARS_MAX.other);
    }
    looked += 1;
    if (looked === HEADERS_MAX) return null;
  }
  return null;
}
