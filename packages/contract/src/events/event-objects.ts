import {
  activationId,
  any,
  boolean,
  type EventField,
  either,
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
  word,
} from './event-field.ts';

/**
 * Section 2.9. Every field takes null: device facts are side evidence, and a client that writes null for one
 * it could not read must not lose its exception over it.
 */
export const device = open([
  ...optional(
    [
      'user_agent',
      'language',
      'connection_type',
      'os_name',
      'os_version',
      'locale',
      'timezone',
      'app_version',
      'build_number',
      'release_channel',
      'manufacturer',
      'model',
    ],
    text(),
  ),
  field('os', open(optional(['name', 'version'], text())), ['nullable']),
  field('browser', lenient(open(optional(['name', 'version'], text()))), ['nullable']),
  field('device_type', text(), ['nullable']),
  ...['screen', 'viewport'].map((name) =>
    field(name, open(optional(['width', 'height'], integer(0))), ['nullable']),
  ),
  ...optional(
    ['screen_width', 'screen_height', 'api_level', 'free_disk_bytes', 'free_memory_bytes'],
    number(),
  ),
  field(
    'device_pixel_ratio',
    { kind: 'number', minimum: 0, maximum: Number.POSITIVE_INFINITY, aboveMinimum: true },
    ['nullable'],
  ),
  ...optional(['touch_capable', 'battery_charging', 'jailbroken', 'rooted'], boolean),
  field('battery_level', number(0, 1), ['nullable']),
  field('color_scheme_preference', word('light', 'dark', 'no-preference'), ['nullable']),
]);

const frame = open(
  optional(['class', 'method', 'function', 'file', 'line', 'column'], either(text(), integer())),
);
const stack = either(text(), list(either(text(), frame)));

export const exceptionHead: readonly EventField[] = [
  field(['name', 'error_class', 'error.type'], text(), ['required', 'nullable']),
  field(['message', 'error.message'], text(), ['required', 'nullable']),
  field(['stack', 'stacktrace', 'error.stack_trace'], stack, ['nullable']),
];

/**
 * The sub-object of old mobile releases. Its keys are spellings of the fields above and checked with them; it
 * is listed so that it is no unknown key and must be an object.
 */
export const errorObject = field(
  'error',
  open([field('type', any), field('message', any), field('stack_trace', any)]),
);

/** `{name, message, stack}`; nothing in it is required, so that half a cause does not lose the exception. */
export const cause = open([...optional(['name', 'message'], text()), field('stack', stack, ['nullable'])]);

/** Section 2.1.1. */
export const request = open([
  field('method', text(0, 32), ['nullable']),
  field(['path', 'url'], text(), ['nullable', 'may_differ']),
  field('query', map),
  field('headers', map),
  field('body', any),
  field('route_template', text(), ['nullable']),
]);

export const response = open([
  field('status_code', integer(0), ['nullable']),
  field('duration_ms', lenient(number(0)), ['nullable']),
  field('headers', map),
  field('body', any),
]);

/** Section 2.1.2. */
export const runtime = open([
  field('version', text()),
  ...optional(['name', 'platform', 'arch', 'cwd', 'hostname', 'framework_version', 'jvm_name'], text()),
  field('pid', integer(0), ['nullable']),
  field('uptime_sec', number(0), ['nullable']),
  field('thread_id', either(text(), number()), ['nullable']),
  field('memory', { kind: 'number_map' }, ['nullable']),
  field('framework_extras', map, ['nullable']),
  field('gc_server', boolean, ['nullable']),
]);

/** Section 2.8.1. `data` is wrapped when it is no map, as in a probe event. */
export const probeData = open([
  field('version', integer()),
  field(
    'items',
    list(
      open([
        field('label', text(1), ['required']),
        field('data', any),
        field(['timestamp', 'occurred_at'], isoTime, ['required']),
        field('activation_id', activationId, ['nullable']),
      ]),
    ),
  ),
]);

/** Breadcrumbs inside an exception. An unreadable time loses its place in the order, not the exception. */
export const breadcrumbs = list(
  open([
    field('breadcrumb_type', text(0, 64), ['nullable']),
    field('route', text(), ['nullable']),
    field('data', map, ['nullable']),
    field(['ts', 'occurred_at'], either(text(), number()), ['nullable']),
  ]),
  100,
);

/** Section 2.1.3. */
const attachedLogs = list(
  open([
    ...optional(['level', 'message', 'logger'], text()),
    field('ts', either(text(), number()), ['nullable']),
    field('attributes', map, ['nullable']),
  ]),
  100,
);

/** The trail of a service before an exception or a failed request, as its library kept it (2.1.3). */
export const serverTrail: readonly EventField[] = [
  field('logs', lenient(attachedLogs), ['nullable']),
  field('breadcrumbs', lenient(breadcrumbs), ['nullable']),
];

/** The chain and the threads as objects; read as far as they can be (section 2.1.5). */
export const structuredStack: readonly EventField[] = [
  field('exceptions', lenient(list(any, 1000)), ['nullable']),
  field('threads', lenient(list(any, 1000)), ['nullable']),
];

/** From the files of a stack to the ids of their builds (2.1.4). */
export const debugIds = field('debug_ids', lenient(map), ['nullable']);

/** Section 2.2.1. */
export const browserEvent = open([
  field('kind', word('window_error', 'resource_error'), ['required']),
  ...optional(['message', 'file_name'], text()),
  ...optional(['line_number', 'column_number'], integer(0)),
  field(
    'target',
    open([
      ...optional(['tag_name', 'source_url'], text()),
      field(
        'attributes',
        open([
          ...optional(['rel', 'as', 'type', 'media', 'cross_origin'], text()),
          ...optional(['async', 'defer', 'integrity_present'], boolean),
        ]),
        ['nullable'],
      ),
    ]),
    ['nullable'],
  ),
  field(
    'page',
    open([
      ...optional(['url', 'referrer'], text()),
      field('ready_state', word('loading', 'interactive', 'complete'), ['nullable']),
      field('visibility_state', word('visible', 'hidden', 'prerender', 'unloaded'), ['nullable']),
    ]),
    ['nullable'],
  ),
  field('opaque', boolean, ['required']),
]);

export const rejectionReason = open([
  field('kind', word('error', 'string', 'object', 'null', 'undefined', 'unknown'), ['required']),
  ...optional(['name', 'message', 'preview'], text()),
]);
