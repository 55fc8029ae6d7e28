import { boundedMap } from '../envelope/bounded-json.ts';
import { type ReadyShape, readyPayload } from '../envelope/event-shapes.ts';
import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import {
  countOrNull,
  EMPTY,
  filledObjectOrNull,
  firstFilled,
  listOrEmpty,
  objectOrEmpty,
} from '../envelope/read-json.ts';
import { safeText, safeTextOrNull, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import { OF_REACT_NATIVE, thrownInReactNative } from '../fingerprint/stack/exception-header.ts';
import type { BrowserEvent, ExceptionCause, ExceptionPayload } from './event.ts';
import { logLevelOrNull } from './log-level.ts';
import { type MessageTrace, messageTrace } from './message-trace.ts';
import { normalizeBreadcrumbs } from './normalize-breadcrumb.ts';
import { normalizeRequest, normalizeResponse } from './normalize-http.ts';
import { normalizeProbeData } from './normalize-probe.ts';
import { normalizeDebugIds, normalizeTrail } from './normalize-trail.ts';
import type { OpenParts } from './open-parts.ts';
import type { SenderClock } from './sender-clock.ts';
import { stackText } from './stack-text.ts';
import { structuredExceptions } from './structured-exceptions.ts';

const CAUSES_MAX = 20;

/**
 * The payload of either exception type (docs/contract/ingestion.md 2.1, 2.2). A request or response the payload lacks
 * is taken from the context (docs/contract/incidents.md 5.2).
 * @param around the event's merged context, unbounded, and the clock of times in the payload
 */
export function normalizeException(
  type: 'backend_exception' | 'frontend_exception',
  payload: JsonObject,
  { context, clock, open }: { context: JsonObject; clock: SenderClock; open: OpenParts },
): ExceptionPayload {
  const error = objectOrEmpty(payload.error);
  const isBackend = type === 'backend_exception';
  const sent = stackText(firstFilled(payload.stack, payload.stacktrace, error.stack_trace));
  const exceptions = structuredExceptions(payload);
  const said = firstFilled(payload.message, error.message);
  const trace =
    sent === null && exceptions.length === 0 && typeof said === 'string' ? messageTrace(said) : null;
  const stack = trace === null ? sent : stackText(said);
  const named = exceptionName(payload);
  const outer = trace !== null && trace.type !== '' && NAMES_NOTHING.test(named) ? trace.type : named;
  const told = exceptionMessage(trace === null ? said : trace.message || trace.sentence, outer, stack);
  const thrown = outer === named ? told : `${outer}: ${told}`;
  const { type: name, message } = named.endsWith(OF_REACT_NATIVE)
    ? thrownInReactNative({ type: named, message: thrown })
    : { type: outer, message: told };
  const { request, response } = isBackend ? payload : {};
  return {
    kind: 'exception',
    name,
    message,
    stack,
    isStackOfMessage: trace !== null,
    handled: payload.handled === true,
    level: logLevelOrNull(payload.level),
    causes: withTraced(
      isBackend ? causes(payload, context) : frontendCauses(payload.causes, context),
      trace,
      name,
    ),
    exceptions,
    request: normalizeRequest(request, open) ?? normalizeRequest(getOwn(context, 'request'), open),
    response: normalizeResponse(response, open) ?? normalizeResponse(getOwn(context, 'response'), open),
    runtime: isBackend ? runtime(payload.runtime) : null,
    probeData: normalizeProbeData(payload.probe_data, clock),
    trail: normalizeTrail(isBackend ? payload : EMPTY, clock),
    debugIds: normalizeDebugIds(payload.debug_ids),
    ...(isBackend ? NO_BROWSER : browserParts(payload, clock)),
  };
}

const NAMES_NOTHING =
  /^(?:Error|Exception|Throwable|UnknownError|(?:com\.facebook\.react\.common\.)?JavascriptException)$/;

/** The error of a trace in the message is the cause of one that was sent under another type. */
function withTraced(sent: ExceptionCause[], trace: MessageTrace | null, name: string): ExceptionCause[] {
  if (trace === null || trace.type === '' || trace.type === name || sent.length > 0) return sent;
  return [{ name: trace.type, message: safeText(trace.message, TEXT_CHARS_MAX.message), stack: null }];
}

type BrowserParts = Pick<
  ExceptionPayload,
  'route' | 'browser' | 'breadcrumbs' | 'browserEvent' | 'rejectionReason' | 'domContext'
>;

const NO_BROWSER: BrowserParts = {
  route: null,
  browser: null,
  breadcrumbs: [],
  browserEvent: null,
  rejectionReason: null,
  domContext: null,
};

function browserParts(payload: JsonObject, clock: SenderClock): BrowserParts {
  return {
    route: safeTextOrNull(payload.route, TEXT_CHARS_MAX.url),
    browser: browser(payload.browser),
    breadcrumbs: normalizeBreadcrumbs(payload.breadcrumbs, clock),
    browserEvent: browserEvent(payload.browser_event, payload.url),
    rejectionReason: rejectionReason(payload.rejection_reason),
    domContext: domContext(payload.dom_context),
  };
}

/** The name of an exception whose class has no name. */
const NAMELESS = 'Error';

/** The class of an exception payload, under whichever of its three names the client sent it. */
export function exceptionName(payload: JsonObject): string {
  const error = objectOrEmpty(payload.error);
  const sent = firstFilled(payload.name, payload.error_class, error.type);
  return className(typeof sent === 'string' ? sent : '') || NAMELESS;
}

/**
 * PHP writes a leading backslash. Empty when the class has no name: what runtimes write then holds an address, or the
 * place of the class in a file, and would be another name after each start or deploy.
 */
function className(sent: string): string {
  const text = sent.trim();
  const bare = text.startsWith('\\') ? text.slice(1) : text;
  return ANONYMOUS_CLASS.test(bare) ? '' : safeText(bare, TEXT_CHARS_MAX.name);
}

/**
 * PHP writes `class@anonymous` or `Exception@anonymous`, then a NUL and the file; Ruby `#<Class:0x…>`; others a word in
 * brackets.
 */
const ANONYMOUS_CLASS =
  /^(?:[\w\\]{1,400}@anonymous(?![\w\\]).*|#<Class:0x[0-9a-f]{1,32}>|[<(]anonymous(?: class)?[>)])$/is;

/** An absent message is read from the stack's header, which comes first, or last in Python. */
export function exceptionMessage(value: JsonValue | undefined, name: string, stack: string | null): string {
  const message = typeof value === 'string' ? safeText(value, TEXT_CHARS_MAX.message) : '';
  if (message.length > 0 || stack === null) return message;
  const text = stack.trim();
  const header = headerMessage(
    text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n')),
    name,
  );
  return safeText(
    header || headerMessage(text.slice(text.lastIndexOf('\n') + 1), name),
    TEXT_CHARS_MAX.message,
  );
}

/** Returns the text after `<type>: `, the type in full or by its last segment. */
function headerMessage(line: string, name: string): string {
  const segment = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('\\')) + 1);
  for (const type of [name, segment]) {
    if (type.length > 0 && line.startsWith(`${type}: `)) return line.slice(type.length + 2).trim();
  }
  return '';
}

/**
 * Outermost first; `inner_exception` is the first (docs/contract/incidents.md 5.2). Libraries without a field of their
 * own for causes put them into the context.
 */
function causes(payload: JsonObject, context: JsonObject): ExceptionCause[] {
  const inner = filledObjectOrNull(payload.inner_exception);
  const listed = listOrEmpty(payload.causes);
  const sent = (inner === null ? listed : [inner, ...listed]).slice(0, CAUSES_MAX + 1);
  return sent.length > 0 ? sent.map(cause) : contextCauses(context);
}

/** Browsers name no other cause than these; the rest of their chain is in the stack. */
function frontendCauses(value: JsonValue | undefined, context: JsonObject): ExceptionCause[] {
  const sent = writtenCauses(value);
  return sent.length > 0 ? sent : contextCauses(context);
}

/** The causes in an event's context. */
export function contextCauses(context: JsonObject): ExceptionCause[] {
  return writtenCauses(getOwn(context, 'causes'));
}

/** Returns the causes from a value that can contain anything: only entries that are written like an error count. */
function writtenCauses(value: JsonValue | undefined): ExceptionCause[] {
  return listOrEmpty(value)
    .slice(0, CAUSES_MAX)
    .map(cause)
    .filter(({ name, stack }) => name !== '' || stack !== null);
}

function cause(each: JsonValue): ExceptionCause {
  const source = objectOrEmpty(each);
  const name = getOwn(source, 'name');
  const message = getOwn(source, 'message');
  return {
    name: typeof name === 'string' ? causeName(name) : '',
    message: typeof message === 'string' ? safeText(message, TEXT_CHARS_MAX.message) : '',
    stack: stackText(getOwn(source, 'stack')),
  };
}

/** A cause without a class stays without one, as a header that cannot be read does. */
function causeName(sent: string): string {
  const text = sent.trim();
  return ANONYMOUS_CLASS.test(text) ? '' : safeText(text, TEXT_CHARS_MAX.name);
}

/** The named fields of 2.1.2; unnamed ones go to the event's `extra`. */
function runtime(value: JsonValue | undefined): JsonObject | null {
  const source = filledObjectOrNull(value);
  if (source === null) return null;
  const named: JsonObject = {};
  const { keys } = runtimeShape();
  for (const key of Object.keys(source)) {
    if (keys.has(key)) setOwn(named, key, source[key] ?? null);
  }
  return filledObjectOrNull(boundedMap(named));
}

/** The table of a runtime. */
export function runtimeShape(): ReadyShape {
  const rule = readyPayload('backend_exception').keys.get('runtime');
  if (rule?.kind !== 'object') throw new TypeError('a backend exception has no runtime table');
  return rule.shape;
}

function browser(value: JsonValue | undefined): ExceptionPayload['browser'] {
  const source = filledObjectOrNull(value);
  if (source === null) return null;
  const name = safeTextOrNull(getOwn(source, 'name'), TEXT_CHARS_MAX.name);
  const version = safeTextOrNull(getOwn(source, 'version'), TEXT_CHARS_MAX.name);
  return name === null && version === null
    ? null
    : { name: name ?? 'unknown', version: version ?? 'unknown' };
}

/** @param pageUrl URL that hand-written events carry outside the browser event */
function browserEvent(value: JsonValue | undefined, pageUrl: JsonValue | undefined): BrowserEvent | null {
  const source = filledObjectOrNull(value);
  if (source === null) return null;
  const page = filledObjectOrNull(getOwn(source, 'page'));
  const url = safeTextOrNull(page === null ? null : getOwn(page, 'url'), TEXT_CHARS_MAX.url);
  const fallbackUrl = url === null ? safeTextOrNull(pageUrl, TEXT_CHARS_MAX.url) : null;
  return {
    kind: source.kind === 'resource_error' ? 'resource_error' : 'window_error',
    message: safeTextOrNull(getOwn(source, 'message'), TEXT_CHARS_MAX.message),
    fileName: safeTextOrNull(getOwn(source, 'file_name'), TEXT_CHARS_MAX.url),
    lineNumber: countOrNull(getOwn(source, 'line_number')),
    columnNumber: countOrNull(getOwn(source, 'column_number')),
    target: target(getOwn(source, 'target')),
    page:
      page === null && fallbackUrl === null
        ? null
        : {
            url: url ?? fallbackUrl,
            referrer: text(page, 'referrer', TEXT_CHARS_MAX.url),
            readyState: text(page, 'ready_state', TEXT_CHARS_MAX.name),
            visibilityState: text(page, 'visibility_state', TEXT_CHARS_MAX.name),
          },
    opaque: source.opaque === true,
  };
}

function target(value: JsonValue | undefined): BrowserEvent['target'] {
  const source = filledObjectOrNull(value);
  if (source === null) return null;
  return {
    tagName: text(source, 'tag_name', TEXT_CHARS_MAX.name),
    sourceUrl: text(source, 'source_url', TEXT_CHARS_MAX.url),
    attributes: boundedMap(getOwn(source, 'attributes')),
  };
}

function text(source: JsonObject | null, key: string, maxChars: number): string | null {
  return source === null ? null : safeTextOrNull(getOwn(source, key), maxChars);
}

function rejectionReason(value: JsonValue | undefined): ExceptionPayload['rejectionReason'] {
  const source = filledObjectOrNull(value);
  const kind = source === null ? undefined : getOwn(source, 'kind');
  if (source === null || !isRejectionKind(kind)) return null;
  return {
    kind,
    name: text(source, 'name', TEXT_CHARS_MAX.name),
    message: text(source, 'message', TEXT_CHARS_MAX.other),
    preview: text(source, 'preview', TEXT_CHARS_MAX.other),
  };
}

type RejectionKind = NonNullable<ExceptionPayload['rejectionReason']>['kind'];

const REJECTION_KINDS: ReadonlySet<unknown> = new Set<RejectionKind>([
  'error',
  'string',
  'object',
  'null',
  'undefined',
  'unknown',
]);

function isRejectionKind(value: unknown): value is RejectionKind {
  return REJECTION_KINDS.has(value);
}

function domContext(value: JsonValue | undefined): ExceptionPayload['domContext'] {
  const source = filledObjectOrNull(value);
  if (source === null) return null;
  const excerpt = getOwn(source, 'html_excerpt');
  return typeof excerpt === 'string'
    ? { mode: 'lightweight', htmlExcerpt: safeText(excerpt, TEXT_CHARS_MAX.other) }
    : null;
}
