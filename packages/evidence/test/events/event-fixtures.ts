import type { JsonObject, JsonValue } from '../../src/events/envelope/json.ts';

/** The fixture events of docs/contract/ingestion.md section 9, as the JSON a client sends. */
const FIXTURES = {
  A: {
    event_type: 'backend_exception',
    timestamp: '2026-03-24T10:30:00.000Z',
    service: { name: 'api-server', environment: 'production' },
    sdk: { name: 'handmade', version: '1.0.0' },
    context: { order: 'o-17' },
    payload: {
      error_class: 'TypeError',
      message: 'total is undefined',
      stacktrace: 'TypeError: total is undefined\n    at checkout (/app/cart.js:42:10)',
    },
  },
  W: {
    schema_version: '2026-03-01',
    event_type: 'backend_exception',
    sdk_name: '@debugbundle/sdk-node',
    sdk_version: '1.6.0',
    service: { name: 'api-server', runtime: 'node', framework: 'express', environment: 'production' },
    occurred_at: '2026-03-24T10:30:00.000Z',
    correlation: { request_id: 'r-1', trace_id: null, session_id: null, user_id_hash: null },
    payload: {
      name: 'TypeError',
      message: 'total is undefined',
      stack: 'TypeError: total is undefined\n    at checkout (/app/cart.js:42:10)',
      handled: false,
      request: { method: 'GET', path: '/cart', query: {}, headers: {}, body: null },
      response: { status_code: 500, headers: {}, body: null },
      runtime: { version: '24.1.0' },
    },
  },
  LOG: {
    event_type: 'log_event',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'api-server', environment: 'production' },
    payload: { level: 'error', message: 'payment failed', attributes: { order: 'o-17' } },
  },
  REQ: {
    schema_version: '2026-03-01',
    event_type: 'request_event',
    sdk_name: '@debugbundle/sdk-node',
    sdk_version: '1.6.0',
    service: { name: 'api-server', runtime: 'node', framework: null, environment: 'production' },
    occurred_at: '2026-03-24T10:30:00.000Z',
    payload: {
      method: 'GET',
      path: '/orders/7',
      query: {},
      headers: {},
      response_status: 500,
      duration_ms: 12.5,
    },
  },
  CRUMB: {
    event_type: 'frontend_breadcrumb',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'web', environment: 'production' },
    payload: { breadcrumb_type: 'click', route: '/cart', data: { selector: 'button.pay' } },
  },
  FE: {
    schema_version: '2026-03-01',
    event_type: 'frontend_exception',
    sdk_name: '@debugbundle/sdk-browser',
    sdk_version: '1.6.0',
    service: { name: 'web', runtime: 'browser', framework: null, environment: 'production' },
    occurred_at: '2026-03-24T10:30:00.000Z',
    correlation: { request_id: null, trace_id: 't-9', session_id: 's-1', user_id_hash: null },
    payload: {
      name: 'ResourceLoadError',
      message: 'Failed to load script',
      stack: 'ResourceLoadError',
      route: '/cart',
      browser: { name: 'Chrome', version: '140' },
      breadcrumbs: [],
      browser_event: {
        kind: 'resource_error',
        message: null,
        file_name: null,
        line_number: null,
        column_number: null,
        target: { tag_name: 'script', source_url: 'https://cdn.ads.example/x.js' },
        opaque: true,
      },
    },
  },
  PROBE: {
    event_type: 'probe_event',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'api-server', environment: 'production' },
    payload: { label: 'auth.login', data: { active: 3 }, activation_id: null, probe_label_pattern: 'auth.*' },
  },
  SUP: {
    event_type: 'error_suppressed',
    timestamp: '2026-03-24T10:30:30Z',
    service: { name: 'api-server', environment: 'production' },
    payload: {
      fingerprint: 'ab12',
      suppressed_count: 40,
      window_seconds: 30,
      first_seen: '2026-03-24T10:30:00Z',
      last_seen: '2026-03-24T10:30:29Z',
    },
  },
  DEPLOY: {
    event_type: 'deploy_metadata',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'api-server', environment: 'production' },
    payload: {
      commit_sha: '4f2a9c1',
      version: '2.4.0',
      branch: 'main',
      environment: 'production',
      deployed_at: '2026-03-24T10:29:00Z',
    },
  },
} as const satisfies Record<string, JsonObject>;

export type FixtureName = keyof typeof FIXTURES;

export const fixtureNames = Object.keys(FIXTURES) as FixtureName[];

/** A fresh copy of a fixture, dotted paths set and removed as in the `$ev` notation of docs/contract/ingestion.md 9. */
export function fixture(
  name: FixtureName,
  set: Record<string, JsonValue> = {},
  unset: readonly string[] = [],
): JsonObject {
  const event: JsonObject = structuredClone<JsonObject>(FIXTURES[name]);
  for (const path of unset) {
    const { holder, key } = reach(event, path);
    delete holder[key];
  }
  for (const [path, value] of Object.entries(set)) {
    const { holder, key } = reach(event, path);
    holder[key] = value;
  }
  return event;
}

function reach(event: JsonObject, path: string): { holder: JsonObject; key: string } {
  const keys = path.split('.');
  const key = keys.pop() ?? '';
  let holder: JsonObject = event;
  for (const each of keys) {
    holder[each] ??= {};
    holder = holder[each] as JsonObject;
  }
  return { holder, key };
}
