import { SAMPLE_SERVICE_NAMES } from '@culprit/contract/workspace/sample-services';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';

/** The services of the sample shop. */
export const SAMPLE_SERVICES = {
  api: { name: SAMPLE_SERVICE_NAMES[0], environment: 'production', runtime: 'node', framework: 'fastify' },
  web: { name: SAMPLE_SERVICE_NAMES[1], environment: 'production', runtime: 'browser', framework: null },
} as const;

/** The releases of both services, oldest first. */
export const SAMPLE_RELEASES = [
  { version: '2.3.0', commit: '5d0c1f6a2b7e4c8d9f3a1b6e0c7d2f4a8b9c1d3e', hoursAgo: 150 },
  { version: '2.4.0', commit: '9e4b7a1c3d5f6e8a0b2c4d6f8a1b3c5d7e9f0a2b', hoursAgo: 3 },
] as const;

/** A failure of the sample shop: how often it occurred, and what an occurrence looks like. */
export interface SampleStory {
  service: keyof typeof SAMPLE_SERVICES;
  eventType: 'backend_exception' | 'frontend_exception' | 'request_event' | 'log_event';
  occurrences: number;
  /** The hours ago of its first and its latest occurrence. */
  fromHoursAgo: number;
  toHoursAgo: number;
  /** Different customers that it happens to. */
  customers: number;
  severity?: 'critical';
  payload(n: number): JsonObject;
}

interface Frame {
  function: string;
  file: string;
  line: number;
  /** The source around the line, which is the middle one. */
  source?: readonly [string, string, string];
}

const LIBRARY: readonly Frame[] = [
  { function: 'preHandlerCallback', file: '/srv/shop/node_modules/fastify/lib/handleRequest.js', line: 137 },
  { function: 'process.processTicksAndRejections', file: 'node:internal/process/task_queues', line: 105 },
];

const CHECKOUT: Frame = {
  function: 'checkout',
  file: '/srv/shop/src/checkout/checkout.ts',
  line: 31,
  source: [
    '  const order = await openOrder(cartId);',
    '  const shipping = shippingCost(order);',
    '  return await takePayment(order, shipping);',
  ],
};

/** Returns the payload of an exception that was thrown in these frames, innermost first. */
function exception(
  type: string,
  message: string,
  frames: readonly Frame[],
  request: { method: string; path: string; route: string; body?: JsonObject; status: number },
): JsonObject {
  return {
    error_class: type,
    message,
    ...stackOf(type, message, [...frames, ...LIBRARY]),
    handled: false,
    request: {
      method: request.method,
      path: request.path,
      route_template: request.route,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0 (Macintosh) Safari/605.1.15',
      },
      ...(request.body === undefined ? {} : { body: request.body }),
    },
    response: { status_code: request.status, duration_ms: 84 },
  };
}

function stackOf(type: string, message: string, frames: readonly Frame[]): JsonObject {
  const lines = frames.map(({ function: name, file, line }) => `    at ${name} (${file}:${line}:17)`);
  return {
    stack: [`${type}: ${message}`, ...lines].join('\n'),
    exceptions: [
      {
        type,
        message,
        frames: frames.map(({ function: name, file, line, source }) => ({
          function: name,
          file,
          line,
          column: 17,
          in_app: !file.includes('node_modules') && !file.startsWith('node:'),
          ...(source === undefined
            ? {}
            : { pre_context: [source[0]], context_line: source[1], post_context: [source[2]] }),
        })),
      },
    ],
  };
}

/** The failures of the demo's shop. */
export const SAMPLE_STORIES: readonly SampleStory[] = [
  {
    service: 'api',
    eventType: 'backend_exception',
    occurrences: 24,
    fromHoursAgo: 2.6,
    toHoursAgo: 0.05,
    customers: 18,
    payload: (n) =>
      exception(
        'TypeError',
        "Cannot read properties of undefined (reading 'country')",
        [
          {
            function: 'shippingCost',
            file: '/srv/shop/src/checkout/shipping.ts',
            line: 20,
            source: [
              '  const { address } = order.customer;',
              '  const zone = ZONES.get(address.country);',
              '  return zone.centsPerKilogram * order.weight;',
            ],
          },
          CHECKOUT,
        ],
        {
          method: 'POST',
          path: '/api/checkout',
          route: '/api/checkout',
          body: { cart_id: `cart_${4000 + n}`, guest: true, payment: { kind: 'on-delivery' } },
          status: 500,
        },
      ),
  },
  {
    service: 'api',
    eventType: 'backend_exception',
    occurrences: 5,
    fromHoursAgo: 30,
    toHoursAgo: 0.4,
    customers: 5,
    severity: 'critical',
    payload: (n) =>
      exception(
        'PaymentError',
        'The payment was not taken (ECONNRESET)',
        [
          {
            function: 'takePayment',
            file: '/srv/shop/src/payment/payment-client.ts',
            line: 15,
            source: [
              '  const answer = await post(PROVIDER, { amount, card });',
              '  if (!answer.ok) throw new PaymentError(answer.reason);',
              '  return answer.receipt;',
            ],
          },
          CHECKOUT,
        ],
        {
          method: 'POST',
          path: '/api/checkout',
          route: '/api/checkout',
          body: { cart_id: `cart_${5000 + n}`, payment: { kind: 'card' } },
          status: 502,
        },
      ),
  },
  {
    service: 'api',
    eventType: 'backend_exception',
    occurrences: 6,
    fromHoursAgo: 140,
    toHoursAgo: 9,
    customers: 6,
    payload: (n) =>
      exception(
        'SqliteError',
        'UNIQUE constraint failed: orders.cart_id',
        [{ function: 'storeOrder', file: '/srv/shop/src/orders/order-store.ts', line: 20 }, CHECKOUT],
        {
          method: 'POST',
          path: '/api/checkout',
          route: '/api/checkout',
          body: { cart_id: `cart_${6000 + n}` },
          status: 500,
        },
      ),
  },
  {
    service: 'api',
    eventType: 'backend_exception',
    occurrences: 9,
    fromHoursAgo: 70,
    toHoursAgo: 5,
    customers: 7,
    payload: (n) =>
      exception(
        'StockError',
        `The warehouse did not say how many are left of lamp-${1 + (n % 4)}`,
        [{ function: 'piecesInStock', file: '/srv/shop/src/stock/stock-client.ts', line: 15 }],
        {
          method: 'GET',
          path: `/api/products/lamp-${1 + (n % 4)}/stock`,
          route: '/api/products/:sku/stock',
          status: 504,
        },
      ),
  },
  {
    service: 'api',
    eventType: 'request_event',
    occurrences: 8,
    fromHoursAgo: 48,
    toHoursAgo: 2,
    customers: 8,
    payload: (n) => ({
      method: 'GET',
      path: '/api/recommendations',
      route_template: '/api/recommendations',
      response_status: 503,
      duration_ms: 900 + n * 40,
    }),
  },
  {
    service: 'api',
    eventType: 'log_event',
    occurrences: 4,
    fromHoursAgo: 20,
    toHoursAgo: 4,
    customers: 4,
    payload: (n) => ({
      level: 'error',
      logger: 'mail',
      message: `No confirmation was sent for order ${7000 + n}`,
      attributes: { template: 'order-confirmation' },
    }),
  },
  {
    service: 'web',
    eventType: 'frontend_exception',
    occurrences: 14,
    fromHoursAgo: 2.5,
    toHoursAgo: 0.1,
    customers: 12,
    payload: () => ({
      error_class: 'TypeError',
      message: "Cannot read properties of undefined (reading 'number')",
      ...stackOf('TypeError', "Cannot read properties of undefined (reading 'number')", [
        { function: 'showConfirmation', file: 'https://shop.example/assets/shop.js', line: 42 },
        { function: 'submitOrder', file: 'https://shop.example/assets/shop.js', line: 58 },
      ]),
      handled: false,
      route: '/checkout',
      browser: { name: 'Safari', version: '18.2' },
    }),
  },
];

/** The lines that the service logs before an exception. */
export const SAMPLE_LOG_LINES = [
  { level: 'info', message: 'Cart opened', beforeMs: 620 },
  { level: 'warning', message: 'Customer has no saved address', beforeMs: 210 },
] as const;
