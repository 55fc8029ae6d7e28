import type { JsonObject } from '../../../../src/events/envelope/json.ts';
import { AT, chain, frame } from './parts.ts';

/** Events of libraries for JavaScript. */

/** The same Express application under three majors of the library. */
export function node(major: 7 | 9 | 11): JsonObject {
  const handled = { type: major === 11 ? 'auto.http.express' : 'generic', handled: false };
  const onCause = major === 11 ? { type: 'chained', handled: true } : handled;
  return {
    event_id: '0123456789abcdef0123456789abcdef',
    platform: 'node',
    timestamp: AT,
    environment: 'production',
    release: 'shop@1.4.0',
    server_name: 'web-1',
    sdk: { name: 'sentry.javascript.node', version: `${major}.1.0` },
    contexts: {
      runtime: { name: 'node', version: 'v20.1.0' },
      trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) },
      os: { name: 'Linux', version: '6.1' },
      device: { arch: 'x64' },
      app: { app_memory: 90_000_000 },
      culture: { locale: 'en-US', timezone: 'UTC' },
    },
    user: { id: 'u-1', email: 'kim@example.com', ip_address: '203.0.113.9' },
    transaction: 'POST /orders/:id',
    request: {
      method: 'POST',
      url: 'http://shop.example.com/orders/7?coupon=x',
      query_string: 'coupon=x',
      headers: { host: 'shop.example.com', 'user-agent': 'curl/8', authorization: 'Bearer abc' },
      cookies: { session: 'abc' },
      data: '{"count":2,"password":"hunter2"}',
    },
    exception: chain(
      {
        type: 'Error',
        value: 'connect ECONNREFUSED 10.0.0.7:5432',
        mechanism: { ...onCause, exception_id: 1, parent_id: 0, source: 'cause' },
        stacktrace: {
          frames: [
            frame('process.processTicksAndRejections', 'node:internal/process/task_queues', 95, {
              in_app: false,
            }),
            frame('saveOrder', '/app/src/orders.js', 21, { colno: 9, module: 'orders' }),
          ],
        },
      },
      {
        type: 'OrderError',
        value: 'order could not be saved',
        mechanism: { ...(major === 11 ? handled : { type: 'generic', handled: true }), exception_id: 0 },
        stacktrace: {
          frames: [
            frame('Layer.handle', '/app/node_modules/express/lib/router/layer.js', 95, { in_app: false }),
            frame(major === 7 ? '?' : '<anonymous>', '/app/src/web.js', 40, {
              colno: 3,
              context_line: "  throw new OrderError('order could not be saved');",
              pre_context: ['  try {'],
              post_context: ['  }'],
            }),
          ],
        },
      },
    ),
    breadcrumbs: [
      { timestamp: AT - 1, category: 'console', level: 'warn', message: 'stock is low' },
      {
        timestamp: AT - 0.5,
        type: 'http',
        category: 'http',
        data: { url: 'http://stock/items', 'http.method': 'GET', status_code: 200 },
      },
    ],
  };
}

/** The same page under two majors. */
export function page(major: 7 | 11): JsonObject {
  return {
    event_id: 'fedcba9876543210fedcba9876543210',
    platform: 'javascript',
    timestamp: AT,
    environment: 'production',
    sdk: { name: 'sentry.javascript.browser', version: `${major}.0.1` },
    request: {
      url: 'https://shop.example.com/cart?id=4#top',
      headers: {
        'User-Agent':
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      },
    },
    contexts: { trace: { trace_id: 'c'.repeat(32), span_id: 'd'.repeat(16) } },
    exception: chain({
      type: 'TypeError',
      value: "Cannot read properties of undefined (reading 'total')",
      mechanism: { type: major === 11 ? 'auto.browser.global_handlers.onerror' : 'onerror', handled: false },
      stacktrace: {
        frames: [
          frame('HTMLButtonElement.onclick', 'https://shop.example.com/static/cart.js', 80, { colno: 5 }),
          frame(
            major === 7 ? 'Object.?' : 'Object.<anonymous>',
            'https://shop.example.com/static/cart.js',
            12,
            {
              colno: 20,
            },
          ),
        ],
      },
    }),
    breadcrumbs: [
      { timestamp: AT - 3, category: 'navigation', data: { from: '/', to: '/cart' } },
      { timestamp: AT - 2, category: 'ui.click', message: 'button#buy' },
      {
        timestamp: AT - 1,
        category: 'fetch',
        type: 'http',
        data: { method: 'POST', url: '/api/cart', status_code: 503 },
      },
      { timestamp: AT, category: 'console', level: 'log', message: 'cart', data: { logger: 'console' } },
    ],
  };
}

export const reactNative: JsonObject = {
  event_id: 'af0e0d0c0b0a09080706050403020100',
  platform: 'javascript',
  timestamp: AT,
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  sdk: { name: 'sentry.javascript.react-native', version: '5.15.0' },
  contexts: {
    os: { name: 'Android', version: '14' },
    device: { model: 'Pixel 8', manufacturer: 'Google' },
    react_native_context: { js_engine: 'hermes', react_native_version: '0.73.0' },
  },
  exception: chain({
    type: 'TypeError',
    value: 'undefined is not a function',
    mechanism: { type: 'onerror', handled: false },
    stacktrace: {
      frames: [
        frame(
          'callFunctionReturnFlushedQueue',
          'app:///node_modules/react-native/Libraries/MessageQueue.js',
          1,
          { in_app: false },
        ),
        frame('Cart', 'app:///index.android.bundle', 1, { colno: 1_200 }),
      ],
    },
  }),
};

export const raven: JsonObject = {
  event_id: 'b60e0d0c0b0a09080706050403020100',
  platform: 'python',
  timestamp: '2025-11-29T00:00:00',
  level: 40,
  logger: 'shop',
  server_name: 'web-1',
  project: '1795883071811',
  culprit: 'shop.views in order',
  time_spent: null,
  repos: {},
  tags: {},
  modules: { raven: '6.10.0' },
  message: 'OrderError: no stock',
  exception: chain({
    type: 'OrderError',
    value: 'no stock',
    module: 'shop.errors',
    stacktrace: {
      frames: [
        frame('order', 'shop/views.py', 31, {
          abs_path: '/srv/shop/views.py',
          module: 'shop.views',
          vars: { count: '2' },
        }),
      ],
    },
  }),
};
