import type { GroupingReader } from '@culprit/contract/incidents/grouping-explanation';
import type { JsonObject, JsonValue } from '../envelope/json.ts';
import type { StructuredException, StructuredFrame } from './structured-exceptions.ts';

/** The eight event types (docs/contract/ingestion.md section 2). */
export type EventType =
  | 'backend_exception'
  | 'frontend_exception'
  | 'request_event'
  | 'log_event'
  | 'frontend_breadcrumb'
  | 'deploy_metadata'
  | 'error_suppressed'
  | 'probe_event';

/** Assigned once, at acceptance (docs/contract/ingestion.md 4.1). */
export type EventClass = 'incident_signal' | 'context_signal' | 'operational_signal';

/** Severity words in rising order (docs/contract/incidents.md 5.6). */
export type Severity = 'low' | 'medium' | 'high' | 'critical';

/** The reason for the class that the event intake gave to an event (docs/contract/incidents.md 1.1). */
export type MatchedPolicy =
  | 'always_incident'
  | 'immediate_failure_5xx'
  | 'immediate_failure_preset'
  | 'immediate_client_error_status'
  | 'immediate_client_error_path_rule'
  | 'log_level_error'
  | 'captured_message'
  | 'availability_threshold'
  | 'heartbeat_threshold';

/**
 * One event in the internal form of docs/contract/ingestion.md 1.5 and docs/contract/incidents.md 5.2.
 * All times are milliseconds since the epoch, UTC. Text is well formed, without NUL, cut to its bounds,
 * and redacted. Absent values are null, absent maps are empty.
 */
export interface NormalizedEvent {
  eventId: string;
  eventType: EventType;
  /** The client's own time, unclamped. */
  occurredAtMs: number;
  /** `occurredAtMs`, or the receive time where the sender's clock is not believed (`sender-clock.ts`). */
  effectiveAtMs: number;
  receivedAtMs: number;
  service: { name: string; environment: string; runtime: string | null; framework: string | null };
  sdk: { name: string; version: string; language: string | null };
  correlation: {
    requestId: string | null;
    traceId: string | null;
    sessionId: string | null;
    userIdHash: string | null;
  };
  schemaVersion: string;
  context: JsonObject;
  /** Payload keys the contract does not name, bounded like `context`. */
  extra: JsonObject;
  device: Device | null;
  payload: EventPayload;
}

export type EventPayload =
  | ExceptionPayload
  | RequestPayload
  | LogPayload
  | BreadcrumbPayload
  | DeployPayload
  | SuppressedPayload
  | ProbePayload;

/** `backend_exception` and `frontend_exception`. Browser-only fields are null or empty for the former. */
export interface ExceptionPayload {
  kind: 'exception';
  name: string;
  message: string;
  /** Joined text; frame arrays are rendered one line a frame. */
  stack: string | null;
  /** The stack is a trace in the message. */
  isStackOfMessage: boolean;
  handled: boolean;
  /** The program's own rating; null if it sent none. */
  level: LogLevel | null;
  causes: ExceptionCause[];
  /** The chain as objects, outermost first; empty where the client sent text alone. */
  exceptions: StructuredException[];
  request: HttpRequest | null;
  response: HttpResponse | null;
  runtime: JsonObject | null;
  probeData: ProbeItem[];
  /** Empty for a `frontend_exception`, whose breadcrumbs are below. */
  trail: ServerTrail;
  /** For source maps: the build of each file of the stack that names one. */
  debugIds: DebugId[];
  route: string | null;
  browser: { name: string; version: string } | null;
  breadcrumbs: Breadcrumb[];
  browserEvent: BrowserEvent | null;
  rejectionReason: {
    kind: 'error' | 'string' | 'object' | 'null' | 'undefined' | 'unknown';
    name: string | null;
    message: string | null;
    preview: string | null;
  } | null;
  domContext: { mode: 'lightweight'; htmlExcerpt: string } | null;
}

/** The actions of a service before an exception or a failed request, oldest first, in their raw order. */
export interface ServerTrail {
  logs: AttachedLog[];
  breadcrumbs: Breadcrumb[];
}

/** A log line that came inside another event. */
export interface AttachedLog {
  level: LogLevel;
  message: string;
  /** With the name of the logger as `logger`. */
  attributes: JsonObject;
  /** Null for a line without a readable time. */
  timestampMs: number | null;
}

/** A file as the stack names it, and the UUID of its build. */
export interface DebugId {
  file: string;
  id: string;
}

export interface ExceptionCause {
  name: string;
  message: string;
  stack: string | null;
}

export interface HttpRequest {
  method: string | null;
  /** The raw path; it can be a full URL. */
  path: string | null;
  /** Kept when the client sent both `path` and `url`. */
  url: string | null;
  query: JsonObject;
  headers: JsonObject;
  body: JsonValue;
  routeTemplate: string | null;
}

export interface HttpResponse {
  statusCode: number | null;
  durationMs: number | null;
  headers: JsonObject;
  body: JsonValue;
}

export interface ProbeItem {
  label: string;
  data: JsonObject;
  timestampMs: number;
  /** `act_<uuid>` or null. */
  activationId: string | null;
}

export interface Breadcrumb {
  breadcrumbType: string;
  route: string | null;
  data: JsonObject;
  /** Null only for a breadcrumb without a readable time. */
  timestampMs: number | null;
}

export interface BrowserEvent {
  kind: 'window_error' | 'resource_error';
  message: string | null;
  fileName: string | null;
  lineNumber: number | null;
  columnNumber: number | null;
  target: { tagName: string | null; sourceUrl: string | null; attributes: JsonObject } | null;
  page: {
    url: string | null;
    referrer: string | null;
    readyState: string | null;
    visibilityState: string | null;
  } | null;
  opaque: boolean;
}

/** `request_event`. */
export interface RequestPayload {
  kind: 'request';
  request: HttpRequest & { method: string; path: string };
  response: HttpResponse & { statusCode: number };
  trail: ServerTrail;
}

/** `log_event`. `level` is the normalized word of docs/contract/ingestion.md 2.4. */
export interface LogPayload {
  kind: 'log';
  level: LogLevel;
  message: string;
  attributes: JsonObject;
  error: LoggedError | null;
  /** The debug ids as for an exception; empty without an error. */
  debugIds: DebugId[];
  /** The event that a user speaks of. */
  aboutEventId: string | null;
}

/** An error that a log line carries: as an argument, in a field or inside its message. */
export interface LoggedError {
  /** The place where it was found. */
  reader: Extract<GroupingReader, 'logger_argument' | 'error_field' | 'message_record' | 'message_trace'>;
  /** The program passed it to its logger, so it is as severe as an exception; else it wrote a stack into a field. */
  isArgument: boolean;
  /** Null where nothing names a type. */
  name: string | null;
  /** Null where the error says nothing beside the message of the line. */
  message: string | null;
  stack: string | null;
  /** The frames where they came as objects, newest call first. */
  frames: StructuredFrame[];
  /** Outermost first. */
  causes: ExceptionCause[];
  /** The text of the line above a trace in its message; null when the trace was not part of the message. */
  sentence: string | null;
}

export type LogLevel = 'debug' | 'info' | 'warning' | 'error' | 'critical' | 'fatal';

/** `frontend_breadcrumb`. */
interface BreadcrumbPayload {
  kind: 'breadcrumb';
  breadcrumb: Breadcrumb;
}

/** `deploy_metadata`. At least one of `commitSha` and `version` is set. */
interface DeployPayload {
  kind: 'deploy';
  commitSha: string | null;
  version: string | null;
  branch: string | null;
  environment: string;
  deployedAtMs: number;
}

/** `error_suppressed`. `suppressedCount` is cut to 1,000,000. */
export interface SuppressedPayload {
  kind: 'suppressed';
  suppressedCount: number;
  windowSeconds: number;
  firstSeenMs: number;
  lastSeenMs: number;
  /** It counts what a full queue of the client lost, of any kind, instead of repeats of one event. */
  isQueuePressure: boolean;
  /** The last event of the key that was sent, and the type of the repeats; null where the library names none. */
  sampleEventId: string | null;
  repeatedType: EventType | null;
}

/** `probe_event`. */
export interface ProbePayload {
  kind: 'probe';
  label: string;
  data: JsonObject;
  activationId: string | null;
  labelPattern: string;
}

/** docs/contract/ingestion.md 2.9, flat mobile keys mapped into the structured ones. */
export interface Device {
  userAgent: string | null;
  browser: { name: string; version: string } | null;
  os: { name: string | null; version: string | null } | null;
  deviceType: 'desktop' | 'mobile' | 'tablet' | 'unknown';
  screen: { width: number; height: number } | null;
  viewport: { width: number; height: number } | null;
  devicePixelRatio: number | null;
  touchCapable: boolean | null;
  language: string | null;
  connectionType: string | null;
  colorSchemePreference: 'light' | 'dark' | 'no-preference' | null;
  /** The remaining named fields and unnamed keys, bounded. */
  extra: JsonObject;
}
