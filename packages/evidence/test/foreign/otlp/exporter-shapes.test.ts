import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/events/envelope/json.ts';
import {
  anyValue,
  attributes,
  bodyOf,
  END,
  eventsOf,
  exceptionEvent,
  logsOf,
  readBody,
  SPAN_ID,
  START,
  span,
  TRACE_ID,
  tracesOf,
} from './otlp-bodies.ts';

/**
 * Bodies in the shapes of collectors, agents and exporters, each written by hand. What each becomes was written down
 * before it was run.
 */
interface Shape {
  sender: string;
  signal: 'traces' | 'logs';
  body: JsonObject;
  /** Types of the events, in their order. */
  types: readonly string[];
  /** Values at paths of the first of them. */
  says?: Readonly<Record<string, JsonValue | undefined>>;
  /** The body has no other form. */
  isJsonAlone?: true;
}

const ERROR_SPAN = { status: { code: 2 } };
const record = (own: Record<string, unknown>): JsonObject =>
  ({ timeUnixNano: END, severityNumber: 17, body: { stringValue: 'x' }, ...own }) as JsonObject;
const PYTHON =
  'Traceback (most recent call last):\n  File "/srv/cart.py", line 7, in total\n    raise E\nE: empty\n';
const NONE = {};

const SHAPES: readonly Shape[] = [
  {
    sender: 'a JSON encoder that keeps the names of the fields in protobuf',
    isJsonAlone: true,
    signal: 'traces',
    body: {
      resource_spans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { string_value: 'cart' } }] },
          scope_spans: [
            {
              scope: { name: 'app' },
              spans: [
                {
                  trace_id: TRACE_ID,
                  span_id: SPAN_ID,
                  name: 'GET /cart',
                  kind: 2,
                  start_time_unix_nano: START,
                  end_time_unix_nano: END,
                  attributes: [
                    { key: 'http.request.method', value: { string_value: 'GET' } },
                    { key: 'http.response.status_code', value: { int_value: '500' } },
                  ],
                  events: [
                    {
                      time_unix_nano: END,
                      name: 'exception',
                      attributes: [{ key: 'exception.type', value: { string_value: 'E' } }],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    types: ['backend_exception', 'request_event'],
    says: {
      'payload.name': 'E',
      'service.name': 'cart',
      'correlation.trace_id': TRACE_ID,
      'payload.response.status_code': 500,
    },
  },
  {
    sender: 'the same of logs',
    isJsonAlone: true,
    signal: 'logs',
    body: {
      resource_logs: [
        {
          resource: { attributes: [] },
          scope_logs: [
            {
              log_records: [
                {
                  time_unix_nano: END,
                  severity_number: 13,
                  severity_text: 'WARN',
                  body: { string_value: 'low' },
                  trace_id: TRACE_ID,
                },
              ],
            },
          ],
        },
      ],
    },
    types: ['log_event'],
    says: {
      'payload.level': 'warning',
      'payload.message': 'low',
      'service.name': 'key-service',
      occurred_at: '2026-03-24T10:29:58.500Z',
    },
  },
  {
    sender: 'the Android crash reporter',
    signal: 'logs',
    body: logsOf(
      [
        record({
          severityNumber: 0,
          body: NONE,
          eventName: 'device.crash',
          attributes: attributes({
            'exception.type': 'java.lang.IllegalStateException',
            'exception.message': 'x',
            'exception.stacktrace': 'java.lang.IllegalStateException: x\n\tat com.shop.Cart.total(Cart.kt:7)',
            'thread.name': 'main',
          }),
        }),
      ],
      {
        'service.name': 'app',
        'telemetry.sdk.language': 'java',
        'os.name': 'Android',
        'device.model.name': 'Pixel 9',
      },
    ),
    types: ['frontend_exception'],
    says: {
      'payload.handled': false,
      'payload.name': 'java.lang.IllegalStateException',
      'payload.device.model': 'Pixel 9',
    },
  },
  {
    sender: 'a record that is fatal',
    signal: 'logs',
    body: logsOf([
      record({
        severityNumber: 21,
        attributes: attributes({ 'exception.type': 'E', 'exception.stacktrace': PYTHON }),
      }),
    ]),
    types: ['backend_exception'],
    says: { 'payload.handled': false },
  },
  {
    sender: 'a logger that caught it',
    signal: 'logs',
    body: logsOf([
      record({
        attributes: attributes({
          'exception.type': 'E',
          'exception.message': 'm',
          'exception.stacktrace': PYTHON,
        }),
      }),
    ]),
    types: ['backend_exception'],
    says: { 'payload.handled': true },
  },
  {
    sender: 'a logger that names the event exception',
    signal: 'logs',
    body: logsOf([
      record({
        eventName: 'exception',
        body: NONE,
        attributes: attributes({ 'exception.type': 'TypeError', 'exception.message': 'm' }),
      }),
    ]),
    types: ['backend_exception'],
    says: { 'payload.name': 'TypeError', 'payload.message': 'm' },
  },
  {
    sender: 'a warning with an exception',
    signal: 'logs',
    body: logsOf([record({ severityNumber: 13, attributes: attributes({ 'exception.type': 'E' }) })]),
    types: ['log_event'],
    says: { 'payload.level': 'warning' },
  },
  {
    sender: 'a body that is a map with a message',
    signal: 'logs',
    body: logsOf([record({ body: anyValue({ msg: 'cart is empty', level: 'error', cart: { id: 7 } }) })]),
    types: ['log_event'],
    says: { 'payload.message': 'cart is empty', 'payload.attributes.cart.id': 7, 'payload.level': 'error' },
  },
  {
    sender: 'a body that is a map without one',
    signal: 'logs',
    body: logsOf([record({ body: anyValue({ cart: 7, state: 'empty' }) })]),
    types: ['log_event'],
    says: { 'payload.message': '{"cart":7,"state":"empty"}' },
  },
  {
    sender: 'a body that is a list',
    signal: 'logs',
    body: logsOf([record({ body: anyValue(['cart', 7]) })]),
    types: ['log_event'],
    says: { 'payload.message': '["cart",7]' },
  },
  {
    sender: 'a file that a collector reads, whose level is in the map',
    signal: 'logs',
    body: logsOf([
      record({ severityNumber: 0, body: anyValue({ message: 'disk full', severity: 'ERROR' }) }),
    ]),
    types: ['log_event'],
    says: { 'payload.message': 'disk full', 'payload.level': 'error' },
  },
  {
    sender: 'numbers of 64 bits as text and as number',
    signal: 'logs',
    body: logsOf([
      record({
        timeUnixNano: 1774348198500000000,
        attributes: [
          { key: 'a', value: { intValue: '9007199254740993' } },
          { key: 'b', value: { intValue: 12 } },
        ],
      }),
    ]),
    types: ['log_event'],
    says: {
      'payload.attributes.a': '9007199254740993',
      'payload.attributes.b': 12,
      occurred_at: '2026-03-24T10:29:58.500Z',
    },
  },
  {
    sender: 'ids in base64 without padding',
    isJsonAlone: true,
    signal: 'logs',
    body: logsOf([record({ traceId: 'W47/95gDgQPSabYzgT/GDA', spanId: '7uGbfsPBsXQ' })]),
    types: ['log_event'],
    says: { 'correlation.trace_id': TRACE_ID },
  },
  {
    sender: 'Go, whose error has no trace',
    signal: 'traces',
    body: tracesOf(
      [
        span({
          kind: 1,
          ...ERROR_SPAN,
          events: [
            exceptionEvent({ 'exception.type': '*errors.errorString', 'exception.message': 'no rows' }),
          ],
        }),
      ],
      { 'service.name': 'shop', 'telemetry.sdk.language': 'go' },
    ),
    types: ['backend_exception'],
    says: { 'payload.name': '*errors.errorString', 'payload.message': 'no rows', 'service.runtime': 'go' },
  },
  {
    sender: 'Rust tracing, which names no type',
    signal: 'traces',
    body: tracesOf([span({ kind: 1, events: [exceptionEvent({ 'exception.message': 'cart is empty' })] })], {
      'service.name': 'shop',
      'telemetry.sdk.language': 'rust',
    }),
    types: ['backend_exception'],
    says: { 'payload.message': 'cart is empty' },
  },
  {
    sender: 'PHP, in the older names of HTTP',
    signal: 'traces',
    body: tracesOf(
      [
        span({
          ...ERROR_SPAN,
          values: {
            'http.method': 'POST',
            'http.target': '/cart?id=4',
            'http.status_code': '500',
            'http.route': '/cart',
          },
          events: [
            exceptionEvent({
              'exception.type': 'LogicException',
              'exception.message': 'x',
              'exception.stacktrace':
                'LogicException: x in /srv/Cart.php:7\nStack trace:\n#0 /srv/index.php(3): Cart->total()\n#1 {main}',
              'exception.escaped': true,
            }),
          ],
        }),
      ],
      { 'service.name': 'shop', 'telemetry.sdk.language': 'php' },
    ),
    types: ['backend_exception', 'request_event'],
    says: {
      'payload.handled': false,
      'payload.request.path': '/cart',
      'payload.request.query.id': '4',
      'payload.response.status_code': 500,
    },
  },
  {
    sender: 'a resource without attributes, scopes without a name',
    signal: 'traces',
    body: {
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [span({ kind: 1, ...ERROR_SPAN, events: [exceptionEvent({ 'exception.type': 'E' })] })],
            },
          ],
        },
      ],
    },
    types: ['backend_exception'],
    says: { 'service.name': 'key-service', 'service.environment': 'production' },
  },
  {
    sender: 'a line of a file that a collector does not parse',
    signal: 'logs',
    body: logsOf([
      record({
        severityNumber: 0,
        body: { stringValue: '{"level":"error","msg":"cart is empty","err":{"type":"E","stack":"E: x"}}\n' },
      }),
    ]),
    types: ['log_event'],
    says: {
      'payload.level': 'error',
      'payload.message': 'cart is empty',
      'payload.attributes.err.type': 'E',
    },
  },
  {
    sender: 'text that only begins as JSON does',
    signal: 'logs',
    body: logsOf([record({ body: { stringValue: '{cart} is empty' } })]),
    types: ['log_event'],
    says: { 'payload.message': '{cart} is empty' },
  },
  { sender: 'a request of no resources', signal: 'traces', body: {}, types: [] },
  {
    sender: 'a request of null resources',
    signal: 'logs',
    body: { resourceLogs: null },
    types: [],
    isJsonAlone: true,
  },
];

it.each(SHAPES)('$sender', ({ signal, body, types, says = {}, isJsonAlone }) => {
  const reading = isJsonAlone
    ? readBody(bodyOf('json', signal, body), 'json', signal)
    : eventsOf(signal, body);
  if (!reading.ok) throw new Error('the body could not be read');
  const { events } = reading;
  expect(events.map(({ event }) => event.event_type)).toEqual(types);
  for (const [path, value] of Object.entries(says))
    expect(valueAt(events[0]?.event, path), path).toEqual(value);
});

/** At a path whose keys may hold no dots. */
function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let found = value;
  for (const key of path.split('.')) {
    found = typeof found === 'object' && found !== null ? (found as JsonObject)[key] : undefined;
  }
  return found;
}
