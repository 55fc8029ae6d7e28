/**
 * The fixtures of docs/contract/incidents.md section 9, as functions: every call has the times of its own moment.
 * `change` is laid over the fixture; its `payload`, `service` and `context` are laid over theirs.
 */

/** An event as a client sends it. */
export interface SentEvent {
  event_type: string;
  event_id?: string;
  timestamp: string;
  service: Record<string, unknown>;
  sdk: Record<string, unknown>;
  context: Record<string, unknown>;
  correlation?: Record<string, unknown>;
  payload: Record<string, unknown>;
}

type EventChange = Partial<SentEvent>;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time a while ago, in milliseconds; of the future when negative. */
export function ago(durationMs: number): string {
  return new Date(Date.now() - durationMs).toISOString();
}

/** `changed(EX(), …)` for events that are not in the list. */
export function changed(event: SentEvent, change: EventChange): SentEvent {
  return {
    ...event,
    ...change,
    service: { ...event.service, ...change.service },
    context: { ...event.context, ...change.context },
    payload: { ...event.payload, ...change.payload },
  };
}

/** An uncaught exception of a server. */
export function EX(change: EventChange = {}): SentEvent {
  const event = { ...envelope('backend_exception'), payload: { ...EXCEPTION } };
  return changed(event, change);
}

/** The same while a request was handled; `line` and `answer` are laid over its request and response. */
export function EXR(change: EventChange = {}, line: object = {}, answer: object = {}): SentEvent {
  const request = {
    method: 'POST',
    path: '/api/checkout',
    query: { step: 'payment' },
    headers: {
      host: 'api.shop.example',
      authorization: 'Bearer abc',
      'content-type': 'application/json',
      'user-agent': 'curl/8',
    },
    body: { cart_id: 'cart_81', password: 'hunter2' },
    ...line,
  };
  const response = { status_code: 500, headers: {}, body: null, ...answer };
  const payload = { ...EXCEPTION, handled: false, request, response };
  return changed({ ...envelope('backend_exception'), payload }, change);
}

/** A request that the server failed to answer. */
export function REQ(change: EventChange = {}): SentEvent {
  const payload = {
    method: 'POST',
    path: '/api/orders/48213/pay',
    query: {},
    headers: {},
    response_status: 500,
    duration_ms: 122,
  };
  return changed({ ...envelope('request_event'), payload }, change);
}

/** A deploy, 90 minutes ago. */
export function DEP(change: EventChange = {}): SentEvent {
  const deployedAt = ago(90 * MINUTE);
  const payload = {
    commit_sha: 'a1b2c3d4',
    version: '2026.03.24.1',
    branch: 'main',
    environment: 'production',
    deployed_at: deployedAt,
  };
  return changed({ ...envelope('deploy_metadata'), timestamp: deployedAt, payload }, change);
}

/** A client's summary of 97 errors it did not send. */
export function SUP(change: EventChange = {}): SentEvent {
  const payload = {
    fingerprint: 'client-7f',
    suppressed_count: 97,
    window_seconds: 30,
    first_seen: ago(20 * SECOND),
    last_seen: ago(0),
  };
  return changed({ ...envelope('error_suppressed'), payload }, change);
}

/** A log line. */
export function LOG(level: string, message: string, change: EventChange = {}): SentEvent {
  return changed({ ...envelope('log_event'), payload: { level, message, attributes: {} } }, change);
}

/** An error of a script from elsewhere, about which the browser tells nothing (G05 A); `detail` is laid over that. */
export function OPAQUE(change: EventChange = {}, detail: object = {}): SentEvent {
  const browserEvent = {
    kind: 'window_error',
    message: 'Script error.',
    file_name: null,
    line_number: null,
    column_number: null,
    target: null,
    opaque: true,
    ...detail,
  };
  const payload = {
    error_class: 'Error',
    message: 'Script error.',
    stacktrace: 'Error: Script error.',
    route: '/cart',
    browser_event: browserEvent,
  };
  return changed(browser(payload), change);
}

/** A script that did not load (G06 A); `detail` is laid over what the browser tells. */
export function RESOURCE(change: EventChange = {}, detail: object = {}): SentEvent {
  const browserEvent = {
    kind: 'resource_error',
    message: null,
    file_name: null,
    line_number: null,
    column_number: null,
    target: { tag_name: 'SCRIPT', source_url: 'https://cdn.example.net/pay/v3/widget.js?k=abc' },
    opaque: true,
    ...detail,
  };
  const payload = {
    error_class: 'ResourceError',
    message: 'Failed to load resource',
    stacktrace: 'unavailable',
    route: '/cart',
    browser_event: browserEvent,
  };
  return changed(browser(payload), change);
}

/** An exception in a page (G04 A). */
export function FRONTEND(change: EventChange = {}): SentEvent {
  const payload = {
    error_class: 'TypeError',
    message: "Cannot read properties of null (reading 'focus')",
    stacktrace:
      "TypeError: Cannot read properties of null (reading 'focus')\n    at focusFirstField (https://shop.example.com/assets/checkout-3f9a2c1b.js:1:48213)",
  };
  return changed(browser(payload), change);
}

/** An exception that groups by this word, apart from all others. */
export function named(word: string, change: EventChange = {}): SentEvent {
  const payload = {
    error_class: `${word}Error`,
    message: `${word} failed`,
    stacktrace: `${word}Error: ${word} failed`,
  };
  return changed({ ...envelope('backend_exception'), payload }, change);
}

function browser(payload: Record<string, unknown>): SentEvent {
  const event = { ...envelope('frontend_exception'), payload };
  return changed(event, { service: { name: 'checkout-web' } });
}

function envelope(eventType: string): Omit<SentEvent, 'payload'> {
  return {
    event_type: eventType,
    timestamp: ago(0),
    service: { name: 'checkout-api', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    context: {},
  };
}

export const EX_TITLE = "TypeError: Cannot read properties of undefined (reading 'theme')";
export const EX_FINGERPRINT = 'fa006c3229eed44563677272044dd2e563b3bf756ad902afeb3b389617c7c018';

const EXCEPTION = {
  error_class: 'TypeError',
  message: "Cannot read properties of undefined (reading 'theme')",
  stacktrace: [
    "TypeError: Cannot read properties of undefined (reading 'theme')",
    '    at renderTheme (/srv/releases/20260324101500/src/checkout/theme.js:42:27)',
    '    at async CheckoutService.submit (/srv/releases/20260324101500/src/checkout/service.js:118:12)',
    '    at async /srv/releases/20260324101500/src/http/routes.js:77:5',
    '    at Layer.handle [as handle_request] (/srv/releases/20260324101500/node_modules/express/lib/router/layer.js:95:5)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
  ].join('\n'),
};
