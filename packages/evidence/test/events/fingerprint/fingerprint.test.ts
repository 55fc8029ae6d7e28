import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import { availabilityFingerprint, fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import type { Fingerprint } from '../../../src/events/fingerprint/sealed-fingerprint.ts';
import type { EventType, NormalizedEvent } from '../../../src/events/normalize/event.ts';
import {
  backendException,
  browserEvent,
  buildEvent,
  type exceptionPayload,
  frontendException,
  httpRequest,
  logEvent,
  requestEvent,
} from '../build-event.ts';

const NODE_STACK =
  'Error: x\n    at pay (/app/src/cart/pay.js:3:1)\n    at run (/app/node_modules/q/run.js:1:1)';

function fingerprint(event: NormalizedEvent): Fingerprint {
  const result = fingerprintEvent(event);
  if (result === null) throw new Error('this event has a fingerprint');
  return result;
}

function material(event: NormalizedEvent): unknown {
  return JSON.parse(fingerprint(event).materialJson);
}

describe('the fingerprint of an exception', () => {
  it('is the digest of its sorted material', () => {
    const result = fingerprint(backendException({ name: 'TypeError', message: 'x is 5', stack: NODE_STACK }));
    expect(result.materialJson).toBe(
      '{"frames":["cart/pay.js#pay"],"k":"exception","msg":"x is <*>","type":"TypeError","v":2}',
    );
    expect(result.value).toBe(createHash('sha256').update(result.materialJson).digest('hex'));
    expect(result).toMatchObject({ version: 'v2', kind: 'exception' });
    expect(result.matchedFields).toEqual([
      'environment',
      'service',
      'error_type',
      'normalized_message',
      'top_frames',
    ]);
    expect(result.applicationFrame).toEqual({ file: '/app/src/cart/pay.js', line: 3, function: 'pay' });
  });

  it('uses the innermost message and type when the stack shows causes', () => {
    const stack = `${NODE_STACK}\nCaused by: OSError: disk 7 full\n    at write (/app/src/io/disk.js:1:1)`;
    const result = fingerprint(backendException({ name: 'Outer', message: 'outer', stack }));
    expect(JSON.parse(result.materialJson)).toEqual({
      k: 'exception',
      v: 2,
      type: 'Outer',
      cause: 'OSError',
      msg: 'disk <*> full',
      frames: ['io/disk.js#write'],
    });
    expect(result.matchedFields).toContain('cause_type');
    expect(result.chain.map(({ type, message }) => [type, message])).toEqual([
      ['Outer', 'outer'],
      ['OSError', 'disk 7 full'],
    ]);
  });

  it('uses explicit causes only when the stack shows none', () => {
    const causes = [
      { name: '\\App\\Mid', message: 'mid', stack: null },
      {
        name: 'Root',
        message: 'Root: no 5',
        stack: 'Root: no 5\n    at open (/app/src/io/open.js:1:1)\nCaused by: Never: x',
      },
    ];
    const withoutParsed = fingerprint(
      backendException({ name: 'A', message: 'a', stack: NODE_STACK, causes }),
    );
    expect(JSON.parse(withoutParsed.materialJson)).toMatchObject({
      cause: 'Root',
      msg: 'no <*>',
      frames: ['io/open.js#open'],
    });
    expect(withoutParsed.chain.map(({ type }) => type)).toEqual(['A', 'App\\Mid', 'Root']);
    const stack = `${NODE_STACK}\nCaused by: Own: y`;
    expect(material(backendException({ name: 'A', message: 'a', stack, causes }))).toMatchObject({
      cause: 'Own',
      msg: 'y',
    });
  });

  it('uses the frames of an outer exception when the cause has none', () => {
    const causes = [{ name: 'Root', message: 'r', stack: null }];
    expect(material(backendException({ stack: NODE_STACK, causes }))).toMatchObject({
      frames: ['cart/pay.js#pay'],
    });
  });

  it('uses route and method only without frames, and each only if known', () => {
    const request = httpRequest({ method: 'post', path: '/orders/17/pay?x=1' });
    const result = fingerprint(backendException({ stack: 'no frame here', request }));
    expect(JSON.parse(result.materialJson)).toMatchObject({ route: '/orders/{param}/pay', method: 'POST' });
    expect(result.matchedFields.slice(-2)).toEqual(['route_template', 'http_method']);
    expect(material(backendException({ stack: NODE_STACK, request }))).not.toHaveProperty('route');
    expect(material(frontendException({ route: 'https://a.example/cart/9' }))).toEqual({
      k: 'exception',
      v: 2,
      type: 'Error',
      msg: 'it failed',
      route: '/cart/{param}',
    });
    expect(material(backendException({ request: httpRequest({ method: 'GET' }) }))).toMatchObject({
      method: 'GET',
    });
    expect(fingerprint(backendException()).matchedFields).toEqual([
      'environment',
      'service',
      'error_type',
      'normalized_message',
    ]);
  });

  it('prefers the route of the request to the route of the page', () => {
    const request = httpRequest({ path: '/api/x' });
    expect(material(frontendException({ request, route: '/cart' }))).toMatchObject({ route: '/api/x' });
  });

  it('cuts the type at 200 characters', () => {
    expect(material(backendException({ name: 'T'.repeat(300) }))).toMatchObject({ type: 'T'.repeat(200) });
    expect(material(backendException({ name: `${'T'.repeat(199)}😀` }))).toMatchObject({
      type: 'T'.repeat(199),
    });
  });

  it('says what was rejected when that is no error', () => {
    const rejection = { name: null, message: null, preview: null };
    const of = (rejectionReason: NonNullable<ReturnType<typeof exceptionPayload>['rejectionReason']>) =>
      material(frontendException({ message: 'Unhandled rejection', rejectionReason }));
    expect(of({ ...rejection, kind: 'string', message: 'no 5' })).toMatchObject({ msg: 'no <*>' });
    expect(of({ ...rejection, kind: 'object', preview: '{"a":1}' })).toMatchObject({ msg: "{'a':<*>}" });
    expect(of({ ...rejection, kind: 'null', message: ' ' })).toMatchObject({ msg: 'null' });
    expect(of({ ...rejection, kind: 'error', message: 'inner' })).toMatchObject({
      msg: 'Unhandled rejection',
    });
  });

  it('does not depend on the service, the time or the correlation', () => {
    const event = backendException({ stack: NODE_STACK });
    const other = {
      ...event,
      eventId: 'evt_other',
      occurredAtMs: 0,
      service: { ...event.service, name: 'other', environment: 'staging' },
      correlation: { ...event.correlation, traceId: 't' },
    };
    expect(fingerprint(other)).toEqual(fingerprint(event));
  });
});

describe('the fingerprint of a browser failure', () => {
  it.each(['Script error', 'Script error.', ' Script error. '])(
    'is the empty window for %j without an event',
    (message) => {
      expect(fingerprint(frontendException({ message })).materialJson).toBe(
        '{"k":"window","msg":"","src":"","v":2}',
      );
    },
  );

  it('is that of an exception when a script error has a frame or comes from a server', () => {
    expect(fingerprint(frontendException({ message: 'Script error.', stack: NODE_STACK })).kind).toBe(
      'exception',
    );
    expect(fingerprint(backendException({ message: 'Script error.' })).kind).toBe('exception');
    expect(fingerprint(frontendException({ message: 'Script error: more' })).kind).toBe('exception');
  });

  it('names source and message of an opaque window error', () => {
    const event = browserEvent({ opaque: true, fileName: 'https://a.example/assets/app-3f9a2c1b.js' });
    const result = fingerprint(
      frontendException({ message: 'failed 5 times', browserEvent: event, route: '/cart' }),
    );
    expect(result.materialJson).toBe('{"k":"window","msg":"failed <*> time","src":"assets/app.js","v":2}');
    expect(result.matchedFields).toEqual([
      'environment',
      'service',
      'browser_event_kind',
      'normalized_message',
      'source_file',
    ]);
    expect(result.chain).toEqual([]);
  });

  it('is that of an exception for a window error that is not opaque', () => {
    const event = browserEvent({ opaque: false });
    expect(fingerprint(frontendException({ browserEvent: event })).kind).toBe('exception');
  });

  it.each([
    ['https://User:pw@CDN.Example.net:8443/a/B.js?x#y', 'cdn.example.net:8443', '/a/B.js'],
    ['//cdn.example.net/a.js', 'cdn.example.net', '/a.js'],
    ['/static/a.js?x', '', '/static/a.js'],
    ['static/a.js', '', '/static/a.js'],
    ['https://cdn.example.net', 'cdn.example.net', '/'],
    ['blob:https://a.example/1f2e', 'a.example', '/1f2e'],
  ])('reads the resource %s', (sourceUrl, host, path) => {
    const target = { tagName: 'SCRIPT', sourceUrl, attributes: {} };
    const event = browserEvent({ kind: 'resource_error', opaque: true, target });
    const result = fingerprint(frontendException({ browserEvent: event }));
    expect(JSON.parse(result.materialJson)).toEqual({ k: 'resource', v: 2, host, path, tag: 'script' });
    expect(result.matchedFields.slice(2)).toEqual([
      'browser_event_kind',
      'resource_host',
      'resource_path',
      'resource_tag',
    ]);
  });

  it('takes the file name for the URL of a resource without a target', () => {
    const event = browserEvent({ kind: 'resource_error', fileName: 'https://h.example/i.png' });
    expect(material(frontendException({ browserEvent: event }))).toMatchObject({
      host: 'h.example',
      tag: '',
    });
  });

  it('is a window for an opaque resource error without any URL', () => {
    const event = browserEvent({ kind: 'resource_error', opaque: true });
    expect(fingerprint(frontendException({ browserEvent: event })).kind).toBe('window');
    const plain = browserEvent({ kind: 'resource_error', opaque: false });
    expect(fingerprint(frontendException({ browserEvent: plain })).kind).toBe('exception');
  });
});

describe('the fingerprint of a request', () => {
  it('has method, route and status, for every status', () => {
    const result = fingerprint(requestEvent('get', '/users/7', 200));
    expect(result.materialJson).toBe(
      '{"k":"request","method":"GET","route":"/users/{param}","status":200,"v":2}',
    );
    expect(result.matchedFields).toEqual([
      'environment',
      'service',
      'http_method',
      'route_template',
      'http_status',
    ]);
  });

  it('prefers the given template', () => {
    const event = requestEvent('GET', '/users/ana', 500, { routeTemplate: '/users/:name' });
    expect(material(event)).toMatchObject({ route: '/users/{param}' });
  });
});

describe('the fingerprint of a log', () => {
  it('has the template alone without a stack', () => {
    const result = fingerprint(logEvent('job 5 failed', { error: { name: 'E' }, stack: 'no frame' }));
    expect(result.materialJson).toBe('{"k":"log","msg":"job <*> failed: E","v":2}');
    expect(result.matchedFields).toEqual(['environment', 'service', 'normalized_message']);
    expect(result.chain).toMatchObject([{ type: 'E', frames: [] }]);
  });

  const places: JsonObject[] = [
    { error: { stack: NODE_STACK } },
    { error: { stacktrace: NODE_STACK } },
    { error: { stack: ' ' }, stack: NODE_STACK },
    { error: 'text', stacktrace: NODE_STACK },
    { exception: NODE_STACK, stack: '' },
  ];
  it.each(places)('finds the stack in %j', (attributes) => {
    const result = fingerprint(logEvent('it failed', attributes));
    expect(JSON.parse(result.materialJson)).toEqual({
      k: 'log',
      v: 2,
      msg: 'it failed',
      type: 'Error',
      frames: ['cart/pay.js#pay'],
    });
    expect(result.matchedFields.slice(2)).toEqual(['normalized_message', 'error_type', 'top_frames']);
    expect(result.applicationFrame?.function).toBe('pay');
  });

  it('prefers the type that the attributes name, name before type', () => {
    const named = { error: { name: 'A', type: 'B', stack: NODE_STACK } };
    expect(material(logEvent('A: m', named))).toMatchObject({ type: 'A', msg: 'm' });
    expect(material(logEvent('m', { error: { type: 'B', stack: NODE_STACK } }))).toMatchObject({ type: 'B' });
    const headless = NODE_STACK.split('\n').slice(1).join('\n');
    expect(material(logEvent('m', { stack: headless }))).not.toHaveProperty('type');
  });

  it('does not read attributes that objects inherit', () => {
    const attributes: JsonObject = JSON.parse(JSON.stringify({ __proto__: null }));
    const hostile: JsonObject = JSON.parse(`{"__proto__":{"stack":${JSON.stringify(NODE_STACK)}}}`);
    expect(material(logEvent('m', hostile))).toEqual(material(logEvent('m', attributes)));
  });
});

describe('events without a fingerprint', () => {
  const breadcrumb = { breadcrumbType: 'click', route: null, data: {}, timestampMs: 0 };
  const deploy = { commitSha: 'a', version: null, branch: null, environment: 'p', deployedAtMs: 0 };
  const suppressed = {
    suppressedCount: 1,
    windowSeconds: 1,
    firstSeenMs: 0,
    lastSeenMs: 0,
    isQueuePressure: false,
    sampleEventId: null,
    repeatedType: null,
  };
  const probe = { label: 'x', data: {}, activationId: null, labelPattern: 'x' };
  const events: [EventType, NormalizedEvent['payload']][] = [
    ['frontend_breadcrumb', { kind: 'breadcrumb', breadcrumb }],
    ['deploy_metadata', { kind: 'deploy', ...deploy }],
    ['error_suppressed', { kind: 'suppressed', ...suppressed }],
    ['probe_event', { kind: 'probe', ...probe }],
  ];

  it.each(events)('%s', (eventType, payload) => {
    expect(fingerprintEvent(buildEvent(eventType, payload))).toBeNull();
  });
});

describe('availabilityFingerprint', () => {
  it('depends on the check alone', () => {
    const result = availabilityFingerprint('chk_1');
    expect(result.materialJson).toBe('{"check":"chk_1","k":"availability","v":2}');
    expect(result.value).toBe(createHash('sha256').update(result.materialJson).digest('hex'));
    expect(result.matchedFields).toEqual(['environment', 'service', 'availability_check']);
    expect(availabilityFingerprint('chk_2').value).not.toBe(result.value);
  });
});
