import type { JsonObject } from '../../../src/events/envelope/json.ts';

const AT = 1_764_374_400.123;

/** A request of Node 9 as a transaction, with child spans. */
export const TRANSACTION: JsonObject = {
  type: 'transaction',
  event_id: '1123456789abcdef0123456789abcdef',
  platform: 'node',
  environment: 'production',
  release: 'shop@1.4.0',
  transaction: 'POST /orders/:id',
  transaction_info: { source: 'route' },
  start_timestamp: AT - 0.25,
  timestamp: AT,
  sdk: { name: 'sentry.javascript.node', version: '9.1.0' },
  contexts: {
    trace: {
      trace_id: 'a'.repeat(32),
      span_id: 'b'.repeat(16),
      op: 'http.server',
      status: 'internal_error',
      data: { 'http.response.status_code': 500, 'http.request.method': 'POST' },
    },
    response: { status_code: 500 },
    runtime: { name: 'node', version: 'v20' },
  },
  request: {
    method: 'POST',
    url: 'http://shop.example.com/orders/7?coupon=x',
    headers: { host: 'shop.example.com' },
  },
  spans: [
    { span_id: 'c'.repeat(16), op: 'db' },
    { span_id: 'd'.repeat(16), op: 'http.client' },
  ],
};

const attribute = (value: string | number | string[], type = 'string'): JsonObject => ({ value, type });

export const SPANS: JsonObject = {
  items: [
    {
      trace_id: 'a'.repeat(32),
      span_id: 'b'.repeat(16),
      name: 'POST /orders/:id',
      start_timestamp: AT - 0.25,
      end_timestamp: AT,
      status: 'error',
      is_segment: true,
      attributes: {
        'sentry.op': attribute('http.server'),
        'sentry.kind': attribute('server'),
        'sentry.environment': attribute('staging'),
        'sentry.release': attribute('shop@2'),
        'sentry.sdk.name': attribute('sentry.javascript.node'),
        'sentry.sdk.version': attribute('11.12.0'),
        'http.request.method': attribute('POST'),
        'url.path': attribute('/orders/7'),
        'url.query': attribute('coupon=x'),
        'http.route': attribute('/orders/:id'),
        'http.response.status_code': attribute(503, 'integer'),
        'http.request.header.user_agent': attribute(['curl/8'], 'array'),
        'user.id': attribute('u-1'),
        'user.email': attribute('kim@example.com'),
      },
    },
    {
      trace_id: 'a'.repeat(32),
      span_id: 'c'.repeat(16),
      is_segment: false,
      attributes: { 'sentry.op': attribute('db') },
    },
    {
      trace_id: 'a'.repeat(32),
      span_id: 'e'.repeat(16),
      is_segment: true,
      attributes: { 'sentry.op': attribute('cron') },
    },
  ],
};

export const LOGS: JsonObject = {
  items: [
    {
      timestamp: AT,
      level: 'warn',
      body: 'stock is low: 3',
      trace_id: 'a'.repeat(32),
      severity_number: 13,
      attributes: {
        'sentry.environment': attribute('staging'),
        'sentry.release': attribute('shop@2'),
        'sentry.sdk.name': attribute('sentry.python'),
        'sentry.sdk.version': attribute('2.34.1'),
        'sentry.message.template': attribute('stock is low: %s'),
        'server.address': attribute('web-1'),
        'logger.name': attribute('shop.stock'),
        sku: attribute('s-9'),
        'user.id': attribute('u-1'),
        'user.email': attribute('kim@example.com'),
      },
    },
    { timestamp: AT, severity_number: 21, body: 'died', attributes: {} },
    { timestamp: AT, severity_number: 21, body: 'died', attributes: {} },
  ],
};

export const REPORT: JsonObject = {
  timestamp: AT,
  discarded_events: [
    { reason: 'sample_rate', category: 'error', quantity: 3 },
    { reason: 'before_send', category: 'error', quantity: 2 },
    { reason: 'event_processor', category: 'default', quantity: 1 },
    { reason: 'ratelimit_backoff', category: 'session', quantity: 40 },
    { reason: 'ratelimit_backoff', category: 'error', quantity: 1 },
    { reason: 'new_reason', category: 'log_item', quantity: 5 },
  ],
};

export const FEEDBACK: JsonObject = {
  type: 'feedback',
  event_id: '2123456789abcdef0123456789abcdef',
  timestamp: AT,
  platform: 'javascript',
  environment: 'production',
  sdk: { name: 'sentry.javascript.browser', version: '9.1.0' },
  contexts: {
    feedback: {
      message: 'the cart is empty',
      name: 'Kim',
      contact_email: 'kim@example.com',
      associated_event_id: '0123456789abcdef0123456789abcdef',
      url: 'https://shop.example.com/cart',
    },
    trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) },
  },
};

export const USER_REPORT: JsonObject = {
  event_id: '0123456789abcdef0123456789abcdef',
  name: 'Kim',
  email: 'kim@example.com',
  comments: 'it broke',
};

export const OTHER_ITEMS: readonly { type: string; payload: JsonObject }[] = [
  { type: 'transaction', payload: TRANSACTION },
  { type: 'span', payload: SPANS },
  { type: 'log', payload: LOGS },
  { type: 'client_report', payload: REPORT },
  { type: 'feedback', payload: FEEDBACK },
  { type: 'user_report', payload: USER_REPORT },
];
