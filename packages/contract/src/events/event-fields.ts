import {
  activationId,
  any,
  boolean,
  closed,
  type EventField,
  type EventShape,
  either,
  type FieldRule,
  field,
  integer,
  isoTime,
  lenient,
  list,
  map,
  number,
  open,
  optional,
  text,
  trimmedText,
  word,
} from './event-field.ts';
import {
  breadcrumbs,
  browserEvent,
  cause,
  debugIds,
  device,
  errorObject,
  exceptionHead,
  probeData,
  rejectionReason,
  request,
  response,
  runtime,
  serverTrail,
  structuredStack,
} from './event-objects.ts';

/**
 * The field tables of the events chapter (docs/contract/ingestion.md sections 1 and 2) as data. The server's checker
 * and the JSON Schema of the API reference are both made from these tables, so they cannot disagree about a field.
 *
 * Order matters: faults are reported in table order, and a field with several spellings under the first one.
 * Lengths count characters (code points) and all bounds are inclusive.
 */

/** The eight event types, in the order of section 2. */
export const eventTypes = [
  'backend_exception',
  'frontend_exception',
  'request_event',
  'log_event',
  'frontend_breadcrumb',
  'deploy_metadata',
  'error_suppressed',
  'probe_event',
] as const;

/** Every word for a log level that may be sent, in lower case, with its meaning (docs/contract/ingestion.md 2.4). */
export const logLevelWords = {
  trace: { level: 'debug', rank: 0 },
  verbose: { level: 'debug', rank: 0 },
  debug: { level: 'debug', rank: 0 },
  info: { level: 'info', rank: 1 },
  information: { level: 'info', rank: 1 },
  notice: { level: 'info', rank: 1 },
  warn: { level: 'warning', rank: 2 },
  warning: { level: 'warning', rank: 2 },
  error: { level: 'error', rank: 3 },
  critical: { level: 'critical', rank: 4 },
  alert: { level: 'critical', rank: 4 },
  emergency: { level: 'critical', rank: 4 },
  fatal: { level: 'fatal', rank: 4 },
} as const;

/** The program's own rating of an error or a line of a log. */
const levelWord: FieldRule = { kind: 'word', words: Object.keys(logLevelWords), anyCase: true };

/** Sections 1.2 to 1.4. What `payload` holds depends on the event type and is checked apart. */
export const envelopeShape: EventShape = {
  closed: true,
  fields: [
    field('event_type', word(...eventTypes), ['required']),
    field(['timestamp', 'occurred_at'], isoTime, ['required']),
    field(
      'service',
      closed([
        field('name', trimmedText(1, 200), ['required']),
        field('environment', trimmedText(1, 200), ['required']),
        field('runtime', text(1, 64), ['nullable']),
        field('framework', text(1, 64), ['nullable']),
      ]),
      ['required'],
    ),
    field('payload', open([]), ['required']),
    field('event_id', {
      kind: 'string',
      minLength: 1,
      maxLength: 128,
      trimmed: false,
      controlsAllowed: false,
    }),
    field(
      'sdk',
      closed([field('name', text(1, 200), ['required']), field('version', text(1, 64), ['required'])]),
    ),
    field('context', map, ['nullable']),
    field('schema_version', text(1, 64)),
    field('sdk_name', text(1, 200)),
    field('sdk_version', text(1, 64)),
    field(
      'correlation',
      closed(
        optional(
          ['request_id', 'trace_id', 'session_id', 'user_id_hash', 'activity_trace_id', 'activity_span_id'],
          text(0, 256),
        ),
      ),
      ['nullable'],
    ),
    field('project_token', text()),
    field('project_id', text(), ['nullable']),
    field('sdk_language', text(0, 32), ['nullable']),
    field('device', device, ['nullable']),
    field('fingerprint', any),
  ],
  equalPairs: [
    ['sdk.name', 'sdk_name'],
    ['sdk.version', 'sdk_version'],
  ],
};

/** Keys that every payload takes besides its own (section 2). */
const toleratedFields: readonly EventField[] = [
  field('device', device, ['nullable']),
  field('context', map, ['nullable']),
  ...optional(['trace_id', 'request_id'], text(0, 256)),
  field('source', text(0, 200), ['nullable']),
  field('fingerprint', any),
];

function payload(fields: readonly EventField[]): EventShape {
  const own = new Set(fields.map((each) => each.names[0]));
  const tolerated = toleratedFields.filter((each) => !own.has(each.names[0]));
  return { closed: false, fields: [...fields, ...tolerated], equalPairs: [] };
}

/**
 * Sections 2.1 to 2.8. A field whose default is null also takes null where the chapter does not say so:
 * writing the default out must not be a fault.
 */
export const payloadShapes: Readonly<Record<(typeof eventTypes)[number], EventShape>> = {
  backend_exception: payload([
    ...exceptionHead,
    field('handled', boolean),
    field('level', lenient(levelWord), ['nullable']),
    field('request', request, ['nullable']),
    field('response', response, ['nullable']),
    field('runtime', runtime, ['nullable']),
    field('probe_data', probeData, ['nullable']),
    field('causes', list(cause, 20)),
    field('inner_exception', cause, ['nullable']),
    field('hresult', integer(), ['nullable']),
    errorObject,
    ...serverTrail,
    ...structuredStack,
    debugIds,
  ]),
  frontend_exception: payload([
    ...exceptionHead,
    field('route', text(), ['nullable']),
    field('browser', open(optional(['name', 'version'], text())), ['nullable']),
    field('breadcrumbs', breadcrumbs),
    field('device', device, ['nullable']),
    field('browser_event', browserEvent, ['nullable']),
    field('rejection_reason', rejectionReason, ['nullable']),
    field(
      'dom_context',
      open([field('mode', word('lightweight'), ['required']), field('html_excerpt', text(), ['required'])]),
      ['nullable'],
    ),
    field('probe_data', probeData, ['nullable']),
    field('handled', boolean, ['nullable']),
    field('level', lenient(levelWord), ['nullable']),
    field('url', text()),
    field('user_agent', text()),
    errorObject,
    field('causes', lenient(list(cause, 20)), ['nullable']),
    ...structuredStack,
    debugIds,
  ]),
  request_event: payload([
    field('method', text(1, 32), ['required']),
    field(['path', 'url'], text(1), ['required', 'may_differ']),
    field(['response_status', 'status_code'], integer(0, 999), ['required', 'nullable']),
    field('duration_ms', number(0), ['nullable']),
    field('query', map),
    field(['headers', 'request_headers'], map),
    field(['body', 'request_body'], any),
    field('response_headers', map, ['nullable']),
    field('response_body', any),
    field('route_template', text(), ['nullable']),
    field('device', device, ['nullable']),
    ...optional(['controller', 'action'], text()),
    field('attributes', map),
    ...serverTrail,
  ]),
  log_event: payload([
    field('message', text(), ['required']),
    field('level', levelWord),
    field('captured', lenient(boolean), ['nullable']),
    field('about_event_id', lenient(text(1, 128)), ['nullable']),
    field(['attributes', 'fields'], map),
    ...optional(['logger', 'tag', 'thread_name', 'coroutine_name', 'logged_at'], text()),
    field('throwable', either(map, text()), ['nullable']),
    debugIds,
  ]),
  frontend_breadcrumb: payload([
    field(['breadcrumb_type', 'type', 'category'], text(1, 64), ['required']),
    field('route', text(), ['nullable']),
    field('data', map),
    field('message', text()),
    field('device', device, ['nullable']),
  ]),
  deploy_metadata: payload([
    field('commit_sha', text(1, 200), ['nullable'], { requiredWithout: 'version' }),
    field('version', text(1, 200), ['nullable']),
    field('branch', text(1, 200), ['nullable']),
    field('environment', text(1, 200)),
    field('deployed_at', isoTime),
  ]),
  error_suppressed: payload([
    field(['suppressed_count', 'count'], integer(0), ['required']),
    // Some libraries send the key itself instead of a digest of it.
    field('fingerprint', text(1), ['nullable']),
    field('window_seconds', integer(1)),
    field('first_seen', isoTime, [], { notAfter: 'last_seen' }),
    field('last_seen', isoTime),
    field('loop_mode', boolean, ['nullable']),
    field('sample_event_id', lenient(text(1, 128)), ['nullable']),
    field('event_type', lenient(word(...eventTypes)), ['nullable']),
  ]),
  probe_event: payload([
    field('label', text(1, 200), ['required']),
    field('data', any),
    field('activation_id', activationId, ['nullable']),
    field('probe_label_pattern', text(1, 200)),
  ]),
};
