import type { eventTypes } from './event-fields.ts';

const service = { name: 'checkout-api', environment: 'production', runtime: 'node' };
const web = { name: 'web-shop', environment: 'production', runtime: 'browser' };
const sdk = { name: 'handmade', version: '1.0.0' };

/** One event of each type, as a client sends it. */
export const eventExamples: Readonly<Record<(typeof eventTypes)[number], object>> = {
  backend_exception: {
    event_type: 'backend_exception',
    timestamp: '2026-03-24T10:30:00.000Z',
    event_id: 'd1f2c3b4-0001',
    service,
    sdk,
    correlation: { request_id: 'r-1', trace_id: 't-9' },
    payload: {
      error_class: 'TypeError',
      message: "Cannot read properties of undefined (reading 'total')",
      stacktrace:
        "TypeError: Cannot read properties of undefined (reading 'total')\n    at checkout (/app/cart.js:42:10)",
      handled: false,
      request: { method: 'POST', path: '/cart/checkout' },
      response: { status_code: 500, duration_ms: 41.5 },
      causes: [{ name: 'RangeError', message: 'quantity is negative' }],
      logs: [
        {
          level: 'warning',
          message: 'cart is empty',
          ts: '2026-03-24T10:29:59.900Z',
          logger: 'cart',
          attributes: {},
        },
      ],
      breadcrumbs: [
        {
          breadcrumb_type: 'network_request',
          ts: '2026-03-24T10:29:59.800Z',
          data: {
            method: 'GET',
            url: 'https://culprit.example/prices/v2',
            status_code: 503,
            duration_ms: 120,
          },
        },
      ],
    },
  },
  frontend_exception: {
    event_type: 'frontend_exception',
    timestamp: '2026-03-24T10:30:00.000Z',
    service: web,
    sdk,
    payload: {
      error_class: 'TypeError',
      message: 'cart is null',
      stacktrace: 'TypeError: cart is null\n    at render (https://culprit.example/app.js:7:21)',
      route: '/cart',
      browser: { name: 'Chrome', version: '140' },
    },
  },
  request_event: {
    event_type: 'request_event',
    timestamp: '2026-03-24T10:30:00.000Z',
    service,
    sdk,
    payload: {
      method: 'GET',
      path: '/orders/7',
      route_template: '/orders/:id',
      response_status: 500,
      duration_ms: 12.5,
    },
  },
  log_event: {
    event_type: 'log_event',
    timestamp: '2026-03-24T10:30:00.000Z',
    service,
    sdk,
    payload: { message: 'payment failed', level: 'error', attributes: { order: 'o-17' } },
  },
  frontend_breadcrumb: {
    event_type: 'frontend_breadcrumb',
    timestamp: '2026-03-24T10:29:58.000Z',
    service: web,
    sdk,
    payload: { breadcrumb_type: 'click', route: '/cart', data: { selector: 'button.pay' } },
  },
  deploy_metadata: {
    event_type: 'deploy_metadata',
    timestamp: '2026-03-24T10:30:00.000Z',
    service,
    sdk,
    payload: {
      commit_sha: '4f2a9c1',
      version: '2.4.0',
      branch: 'main',
      deployed_at: '2026-03-24T10:29:00Z',
    },
  },
  error_suppressed: {
    event_type: 'error_suppressed',
    timestamp: '2026-03-24T10:30:30.000Z',
    service,
    sdk,
    payload: {
      suppressed_count: 40,
      fingerprint: 'ab12',
      window_seconds: 30,
      first_seen: '2026-03-24T10:30:00Z',
      last_seen: '2026-03-24T10:30:29Z',
      sample_event_id: '0196b9a2-6c1e-7c3a-9d55-0d2f6f0b7a11',
      event_type: 'backend_exception',
    },
  },
  probe_event: {
    event_type: 'probe_event',
    timestamp: '2026-03-24T10:30:00.000Z',
    service,
    sdk,
    payload: { label: 'auth.login', data: { active: 3 }, probe_label_pattern: 'auth.*' },
  },
};
