import { createHash } from 'node:crypto';
import { newUuid } from '../../src/platform/ids.ts';

/** Events in the wire form of published client libraries, with the fingerprints that these put into their reports. */

/** A library that had an event many times: what it sends of it, and the fingerprint under which it counts the rest. */
export interface Repeated {
  event: () => LibraryEvent;
  fingerprint: string;
  /** A report of repeats that were not sent. */
  report: (count: number, span?: { first_seen: string; last_seen: string }) => LibraryEvent;
}

interface LibraryEvent {
  event_id: string;
  event_type: string;
  occurred_at: string;
  payload: Record<string, unknown>;
  [field: string]: unknown;
}

const STACK = (name: string) =>
  `${name}: it broke\n    at pay (/srv/pay.js:4:2)\n    at main (/srv/main.js:9:1)`;

/** An exception of a Node service while it handled a request. */
export function nodeException(name: string): Repeated {
  const payload = {
    name,
    message: 'it broke',
    stack: STACK(name),
    handled: false,
    request: { method: 'POST', path: '/pay', headers: {}, query: {}, body: null, route_template: '/pay' },
    response: { status_code: 500 },
    runtime: { name: 'node', version: '22.0.0', pid: 7 },
  };
  const key = `{"event_type":"backend_exception","name":"${name}","message":"it broke","stack":${JSON.stringify(STACK(name))},"path":"/pay","status":500}`;
  return repeated('node', 'backend_exception', payload, sha256(key));
}

/** A failed request of a Node service. */
export function nodeRequest(path: string): Repeated {
  const payload = { method: 'POST', path, query: {}, headers: {}, response_status: 500, duration_ms: 12 };
  const key = `{"event_type":"request_event","method":"POST","path":"${path}","status":500,"route_template":null}`;
  return repeated('node', 'request_event', payload, sha256(key));
}

/** An exception in a page. */
export function browserException(name: string): Repeated {
  const payload = {
    name,
    message: 'it broke',
    stack: STACK(name),
    route: '/cart',
    browser: null,
    breadcrumbs: [],
  };
  const key = `{"event_type":"frontend_exception","name":"${name}","message":"it broke","stack_frame":"at pay (/srv/pay.js:4:2)","route":"/cart"}`;
  return repeated('browser', 'frontend_exception', payload, fnv1a(key));
}

/** A failed request of a page. */
export function browserRequest(path: string): Repeated {
  const payload = { method: 'GET', path, query: {}, headers: {}, response_status: 502, duration_ms: 12 };
  const key = `{"event_type":"request_event","method":"GET","path":"${path}","response_status":502}`;
  return repeated('browser', 'request_event', payload, fnv1a(key));
}

/** An exception of a Python or Ruby service. */
export function scriptException(library: 'python' | 'ruby', name: string): Repeated {
  const stack = `Traceback (most recent call last):\n  File "/srv/pay.py", line 4, in pay\n${name}: it broke`;
  const payload = {
    name,
    message: 'it broke',
    stack,
    handled: true,
    request: { method: 'POST', path: '/pay', query: {}, headers: {} },
    response: { status_code: 500 },
    runtime: { version: '3.12.0' },
  };
  const key = [...(library === 'python' ? ['backend_exception'] : []), name, 'it broke', stack].join(':');
  return repeated(library, 'backend_exception', payload, sha256(key));
}

const LIBRARIES = {
  node: { sdk_name: '@debugbundle/sdk-node', runtime: 'node' },
  browser: { sdk_name: '@debugbundle/sdk-browser', runtime: 'browser' },
  python: { sdk_name: 'debugbundle-python', runtime: 'python' },
  ruby: { sdk_name: '@debugbundle/sdk-ruby', runtime: 'ruby' },
};

function repeated(
  library: keyof typeof LIBRARIES,
  eventType: string,
  payload: Record<string, unknown>,
  fingerprint: string,
): Repeated {
  const { sdk_name, runtime } = LIBRARIES[library];
  const wire = (event_type: string, content: Record<string, unknown>): LibraryEvent => ({
    schema_version: '2026-03-01',
    event_id: newUuid(),
    event_type,
    sdk_name,
    sdk_version: '2.0.0',
    service: { name: 'payments', runtime, framework: null, environment: 'production' },
    occurred_at: new Date().toISOString(),
    correlation: { request_id: null, trace_id: null, session_id: null, user_id_hash: null },
    payload: content,
  });
  return {
    event: () => wire(eventType, payload),
    fingerprint,
    report: (count, span) => {
      const nowMs = Date.now();
      return wire('error_suppressed', {
        fingerprint,
        suppressed_count: count,
        window_seconds: 30,
        first_seen: new Date(nowMs - 5000).toISOString(),
        last_seen: new Date(nowMs).toISOString(),
        ...span,
      });
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function fnv1a(text: string): string {
  let digest = 2_166_136_261n;
  for (let index = 0; index < text.length; index += 1) {
    digest = ((digest ^ BigInt(text.charCodeAt(index))) * 16_777_619n) & 0xffff_ffffn;
  }
  return digest.toString(16).padStart(8, '0');
}
