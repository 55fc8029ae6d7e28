import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject, JsonValue } from '../../src/events/envelope/json.ts';
import { fixture, fixtureNames } from './event-fixtures.ts';
import { conflict, invalid, missing, reasonOf, reasons, unknown } from './event-reasons.ts';

describe('the envelope and payload checklist (docs/contract/ingestion.md 9.1)', () => {
  // T001 to T003
  it('accepts both forms', () => {
    expect(reasonOf(fixture('A'))).toBeNull();
    expect(reasonOf(fixture('W'))).toBeNull();
  });

  // T004
  it('needs neither sdk nor context nor an id', () => {
    expect(reasonOf(fixture('A', {}, ['sdk', 'context', 'event_id']))).toBeNull();
  });

  // T005
  it('takes event_id and occurred_at in an otherwise seed-form event', () => {
    const set = { event_id: 'evt_01HXYZ', occurred_at: '2026-03-24T10:30:00Z' };
    expect(reasonOf(fixture('A', set, ['timestamp']))).toBeNull();
  });

  // T006
  it('names an unknown event type', () => {
    expect(reasonOf(fixture('A', { event_type: 'exception' }))).toBe('Invalid event_type: exception');
  });

  // T007
  it('names each required envelope field', () => {
    for (const path of [
      'event_type',
      'timestamp',
      'service',
      'service.name',
      'service.environment',
      'payload',
    ]) {
      expect(reasonOf(fixture('A', {}, [path]))).toBe(missing(path));
    }
  });

  // T008
  it('refuses what is not an object', () => {
    for (const value of [7, 'x', null, true, [], [{}], undefined])
      expect(reasonOf(value)).toBe('invalid_event');
  });

  // T009
  it('refuses bad times', () => {
    const times = ['2026-03-24', '2026-02-30T10:30:00Z', 1711276200];
    expect(
      reasons(
        'A',
        times.map((timestamp) => ({ timestamp })),
      ),
    ).toEqual(times.map(() => invalid('timestamp')));
  });

  // T010
  it('takes offsets, no offset and long fractions', () => {
    expect(reasonOf(fixture('W', { occurred_at: '2026-03-24T12:30:00.1234567+02:00' }))).toBeNull();
    expect(reasonOf(fixture('W', { occurred_at: '2026-03-24T10:30:00.123456789Z' }))).toBeNull();
    expect(reasonOf(fixture('A', { timestamp: '2026-03-24T10:30:00.123456' }))).toBeNull();
  });

  // T011
  it('closes the envelope and leaves the payload open', () => {
    expect(reasonOf(fixture('A', { colour: 'red' }))).toBe(unknown('colour'));
    expect(reasonOf(fixture('A', { 'service.region': 'eu' }))).toBe(unknown('service.region'));
    expect(reasonOf(fixture('A', { 'sdk.vendor': 'x' }))).toBe(unknown('sdk.vendor'));
    expect(reasonOf(fixture('A', { 'payload.foo': 1 }))).toBeNull();
    expect(reasonOf(fixture('W', { 'payload.request.verb': 'GET' }))).toBeNull();
    expect(reasonOf(fixture('W', { 'correlation.span': '1' }))).toBe(unknown('correlation.span'));
    expect(reasonOf(fixture('A', { event_class: 'incident_signal' }))).toBe(unknown('event_class'));
  });

  // T012
  it('lets maps take any keys', () => {
    expect(reasonOf(fixture('A', { context: { a: { b: [1, null, 'x'] } } }))).toBeNull();
    expect(reasonOf(fixture('W', { 'payload.request.headers': { 'x-any': '1' } }))).toBeNull();
  });

  // T013
  it('refuses a pair with different values', () => {
    expect(reasonOf(fixture('A', { 'payload.name': 'RangeError' }))).toBe(
      conflict('payload.name', 'payload.error_class'),
    );
    expect(reasonOf(fixture('A', { occurred_at: '2026-03-24T10:31:00Z' }))).toBe(
      conflict('timestamp', 'occurred_at'),
    );
  });

  // T014
  it('takes a pair with equal values, times compared as instants', () => {
    expect(reasonOf(fixture('A', { 'payload.name': 'TypeError' }))).toBeNull();
    expect(reasonOf(fixture('A', { occurred_at: '2026-03-24T11:30:00+01:00' }))).toBeNull();
  });

  // T015
  it('asks an exception for name and message', () => {
    expect(reasonOf(fixture('A', {}, ['payload.error_class']))).toBe(missing('payload.name'));
    expect(reasonOf(fixture('A', {}, ['payload.message']))).toBe(missing('payload.message'));
    expect(reasonOf(fixture('A', {}, ['payload.stacktrace']))).toBeNull();
    expect(reasonOf(fixture('A', { payload: {} }))).toBe(missing('payload.name'));
  });

  // T016
  it('tolerates client fingerprints', () => {
    expect(reasons('A', [{ fingerprint: 'x' }, { fingerprint: null }, { fingerprint: [1] }])).toEqual([
      null,
      null,
      null,
    ]);
    expect(reasonOf(fixture('A', { 'payload.fingerprint': { any: 'thing' } }))).toBeNull();
  });

  // T017
  it('takes the shape of Java', () => {
    const stack = [{ class: 'a.B', method: 'c', file: 'B.java', line: 3 }];
    const event = fixture('W', { 'payload.message': null, 'payload.stack': stack }, [
      'payload.request',
      'payload.response',
    ]);
    expect(reasonOf(event)).toBeNull();
  });

  // T018
  it('takes the empty arrays of PHP for optional objects and maps only', () => {
    const empty = { 'payload.query': [], 'payload.headers': [], context: [], correlation: [] };
    expect(reasonOf(fixture('REQ', empty))).toBeNull();
    expect(reasonOf(fixture('REQ', { service: [] }))).toBe(invalid('service'));
    expect(reasonOf(fixture('REQ', { payload: [] }))).toBe(invalid('payload'));
    expect(reasonOf(fixture('REQ', { context: [1] }))).toBe(invalid('context'));
    expect(reasonOf(fixture('A', { sdk: [] }))).toBe(missing('sdk.name'));
  });

  // T019
  it('takes the shape of Android', () => {
    const event = fixture('W', {
      payload: {
        error: { type: 'IllegalState', message: 'm', stack_trace: ['at a.b(C.kt:1)'] },
        context: { screen: 'cart' },
      },
      device: { os_name: 'Android', os_version: '15', app_version: '3.1', rooted: false },
    });
    expect(reasonOf(event)).toBeNull();
  });

  // T020
  it('takes every other type', () => {
    for (const name of fixtureNames) expect(reasonOf(fixture(name))).toBeNull();
  });

  // T021
  it('refuses a level without a rank', () => {
    expect(reasonOf(fixture('LOG', { 'payload.level': 'loud' }))).toBe(invalid('payload.level'));
  });

  // T022
  it('does not refuse an overlong message', () => {
    expect(reasonOf(fixture('A', { 'payload.message': 'x'.repeat(20_000) }))).toBeNull();
  });
});

describe('which problem is reported', () => {
  it('walks the fields in table order, each for missing and then for invalid', () => {
    const event: JsonObject = { event_id: 7, service: { environment: '' }, colour: 1 };
    expect(reasonOf(event)).toBe(missing('event_type'));
    expect(reasonOf({ ...event, event_type: 'nope' })).toBe('Invalid event_type: nope');
    const typed = { ...event, event_type: 'log_event' };
    expect(reasonOf(typed)).toBe(missing('timestamp'));
    const timed = { ...typed, timestamp: '2026-03-24T10:30:00Z' };
    expect(reasonOf(timed)).toBe(missing('service.name'));
    const named = { ...timed, service: { name: 'a', environment: '' } };
    expect(reasonOf(named)).toBe(invalid('service.environment'));
    const placed = { ...timed, service: { name: 'a', environment: 'b' } };
    expect(reasonOf(placed)).toBe(missing('payload'));
    expect(reasonOf({ ...placed, payload: {} })).toBe(invalid('event_id'));
    expect(reasonOf({ ...placed, payload: {}, event_id: 'e' })).toBe(unknown('colour'));
  });

  it('reports conflicts before unknown keys, and unknown keys in order of appearance', () => {
    expect(reasonOf(fixture('A', { colour: 1, occurred_at: '2026-03-24T10:31:00Z' }))).toBe(
      conflict('timestamp', 'occurred_at'),
    );
    expect(reasonOf(fixture('A', { colour: 1, sdk_version: '2' }))).toBe(
      conflict('sdk.version', 'sdk_version'),
    );
    expect(reasonOf(fixture('A', { 'service.region': 'eu', colour: 1 }))).toBe(unknown('service.region'));
    expect(reasonOf(fixture('A', { 'service.[0]': 'eu' }))).toBe(unknown('service.[0]'));
    expect(reasonOf({ colour: 1, ...fixture('A', { 'service.region': 'eu' }) })).toBe(unknown('colour'));
  });

  it('inspects the payload only when the envelope is sound', () => {
    expect(reasonOf(fixture('A', { payload: {}, colour: 1 }))).toBe(unknown('colour'));
    expect(reasonOf(fixture('A', { payload: {}, sdk_name: 'other' }))).toBe(conflict('sdk.name', 'sdk_name'));
    expect(reasonOf(fixture('A', { payload: {} }))).toBe(missing('payload.name'));
  });

  it('names nested fields and list items by their path', () => {
    const item = { label: 'a', timestamp: '2026-03-24T10:30:00Z' };
    const probes = { version: 1, items: [item, { ...item, timestamp: 'yesterday' }] };
    expect(reasonOf(fixture('W', { 'payload.probe_data': probes }))).toBe(
      invalid('payload.probe_data.items[1].timestamp'),
    );
    expect(reasonOf(fixture('W', { 'payload.request.method': 'x'.repeat(33) }))).toBe(
      invalid('payload.request.method'),
    );
    expect(reasonOf(fixture('W', { 'payload.causes': [{ name: 'A' }, { name: 1 }] }))).toBe(
      invalid('payload.causes[1].name'),
    );
    expect(reasonOf(fixture('W', { 'payload.causes': ['no object'] }))).toBe(invalid('payload.causes[0]'));
    expect(reasonOf(fixture('W', { device: { os: { name: 3 } } }))).toBe(invalid('device.os.name'));
  });

  it('reports a field with several names under the first', () => {
    expect(reasonOf(fixture('W', { occurred_at: 'x' }))).toBe(invalid('timestamp'));
    expect(reasonOf(fixture('A', { 'payload.error_class': 7 }))).toBe(invalid('payload.name'));
    expect(reasonOf(fixture('A', { 'payload.stacktrace': [true] }))).toBe(invalid('payload.stack'));
    expect(reasonOf(fixture('A', { payload: { error: { type: 3, message: 'm' } } }))).toBe(
      invalid('payload.name'),
    );
    expect(reasonOf(fixture('A', { 'payload.error': 'text' }))).toBe(invalid('payload.error'));
  });

  it('cuts what it repeats of the event', () => {
    expect(reasonOf(fixture('A', { event_type: 'x'.repeat(100) }))).toBe(
      `Invalid event_type: ${'x'.repeat(64)}`,
    );
    expect(reasonOf(fixture('A', { event_type: `${'x'.repeat(63)}\u{1f600}` }))).toBe(
      `Invalid event_type: ${'x'.repeat(63)}`,
    );
    expect(reasonOf(fixture('A', { event_type: 7 }))).toBe('Invalid event_type: 7');
    expect(reasonOf(fixture('A', { event_type: null }))).toBe('Invalid event_type: null');
    expect(reasonOf(fixture('A', { event_type: { a: 1 } }))).toBe('Invalid event_type: object');
    expect(reasonOf(fixture('A', { ['k'.repeat(1_000_000)]: 1 }))?.length).toBeLessThan(300);
  });
});

describe('fields with several names', () => {
  it('lets path and url differ', () => {
    expect(reasonOf(fixture('REQ', { 'payload.url': 'https://x/other' }))).toBeNull();
    expect(reasonOf(fixture('W', { 'payload.request.url': 'https://x/other' }))).toBeNull();
    expect(reasonOf(fixture('REQ', { 'payload.url': '/x' }, ['payload.path']))).toBeNull();
    expect(reasonOf(fixture('REQ', {}, ['payload.path']))).toBe(missing('payload.path'));
  });

  it('compares maps and bodies by content, the empty array of PHP being an empty map', () => {
    const headers = (a: JsonValue, b: JsonValue) =>
      reasonOf(fixture('REQ', { 'payload.headers': a, 'payload.request_headers': b }));
    expect(headers({ a: '1', b: ['x'] }, { b: ['x'], a: '1' })).toBeNull();
    expect(headers([], {})).toBeNull();
    expect(headers({ a: '1' }, {})).toBe(conflict('payload.headers', 'payload.request_headers'));
    expect(
      reasonOf(fixture('REQ', { 'payload.body': [1, { a: 2 }], 'payload.request_body': [1, { a: 2 }] })),
    ).toBeNull();
    expect(reasonOf(fixture('REQ', { 'payload.body': [], 'payload.request_body': {} }))).toBe(
      conflict('payload.body', 'payload.request_body'),
    );
  });

  it('lets null say nothing', () => {
    expect(reasonOf(fixture('A', { 'payload.stack': null }))).toBeNull();
    expect(
      reasonOf(fixture('REQ', { 'payload.response_status': null, 'payload.status_code': 500 })),
    ).toBeNull();
  });

  it('finds conflicts below list items', () => {
    const times = { timestamp: '2026-03-24T10:30:00Z', occurred_at: '2026-03-24T10:30:01Z' };
    expect(reasonOf(fixture('W', { 'payload.probe_data': { items: [{ label: 'a', ...times }] } }))).toBe(
      conflict('payload.probe_data.items[0].timestamp', 'payload.probe_data.items[0].occurred_at'),
    );
  });

  it('names the two that differ among three', () => {
    const event = fixture('A', { 'payload.name': 'TypeError', 'payload.error': { type: 'Other' } });
    expect(reasonOf(event)).toBe(conflict('payload.name', 'payload.error.type'));
  });
});

describe('the facts of an accepted event', () => {
  function factsOf(event: JsonObject) {
    const check = checkEvent(event);
    if (!check.ok) throw new Error(check.reason);
    return check.facts;
  }

  it('tells the dialect by schema_version or sdk_name', () => {
    expect(factsOf(fixture('A')).dialect).toBe('seed');
    expect(factsOf(fixture('A', { schema_version: '1' })).dialect).toBe('wire');
    expect(factsOf(fixture('A', { sdk_name: 'x' }, ['sdk'])).dialect).toBe('wire');
    expect(factsOf(fixture('A', { sdk_version: '1', correlation: {} }, ['sdk'])).dialect).toBe('seed');
  });

  it('trims and cleans names', () => {
    const { serviceName, environment } = factsOf(
      fixture('A', { 'service.name': ' api\u0000 ', 'service.environment': '\tprod\ud800' }),
    );
    expect([serviceName, environment]).toEqual(['api\ufffd', 'prod\ufffd']);
  });

  it('ranks levels, info being the default', () => {
    const rank = (level: JsonValue) => factsOf(fixture('LOG', { 'payload.level': level })).logRank;
    expect(['debug', 'Notice', 'WARN', 'error', 'alert', 'FATAL'].map(rank)).toEqual([0, 1, 2, 3, 4, 4]);
    expect(factsOf(fixture('LOG', {}, ['payload.level'])).logRank).toBe(1);
    expect(factsOf(fixture('A')).logRank).toBeNull();
  });

  it('reads method, path and status of a request', () => {
    expect(factsOf(fixture('REQ', { 'payload.method': 'post' })).request).toEqual({
      method: 'POST',
      path: '/orders/7',
      status: 500,
    });
    const mobile = fixture('REQ', { 'payload.url': 'https://x/y', 'payload.status_code': null }, [
      'payload.path',
      'payload.response_status',
    ]);
    expect(factsOf(mobile).request).toEqual({ method: 'GET', path: 'https://x/y', status: 0 });
    expect(factsOf(fixture('W')).request).toBeNull();
  });

  it('hands out the token and the id as sent', () => {
    const facts = factsOf(fixture('FE', { project_token: 'svc_proj_x', event_id: 'evt_1' }));
    expect([facts.projectToken, facts.eventId]).toEqual(['svc_proj_x', 'evt_1']);
    expect([factsOf(fixture('FE')).projectToken, factsOf(fixture('FE')).eventId]).toEqual([null, null]);
  });
});

describe('hostile input', () => {
  it('is answered, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const check = checkEvent(JSON.parse(JSON.stringify(value)));
        expect(check.ok || check.reason.length > 0).toBe(true);
      }),
    );
  });

  it('is answered wherever in a good event it stands', () => {
    const paths = [
      'service',
      'payload',
      'context',
      'payload.request',
      'payload.stack',
      'payload.runtime.memory',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 5 }), (path, value) => {
        const check = checkEvent(fixture('W', { [path]: JSON.parse(JSON.stringify(value)) }));
        expect(check.ok || check.reason.length > 0).toBe(true);
      }),
    );
  });

  it('sees keys that name things of every object', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      const event = JSON.parse(`{"${key}":{"a":1},${JSON.stringify(fixture('A')).slice(1)}`);
      expect(reasonOf(event)).toBe(unknown(key));
    }
    expect(reasonOf(JSON.parse('{"__proto__":{"event_type":"log_event"}}'))).toBe(missing('event_type'));
    expect(reasonOf(fixture('A', { event_type: '__proto__' }))).toBe('Invalid event_type: __proto__');
    expect(reasonOf(fixture('LOG', { 'payload.level': 'constructor' }))).toBe(invalid('payload.level'));
  });

  it('may be nested without end', () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < 20_000; i += 1) deep = i % 2 === 0 ? [deep] : { a: deep };
    expect(reasonOf(fixture('A', { context: { deep } }))).toBeNull();
    expect(reasonOf(fixture('A', { event_type: deep }))).toBe('Invalid event_type: object');
    const pair = fixture('REQ', { 'payload.body': deep, 'payload.request_body': [deep] });
    expect(reasonOf(pair)).toBe(conflict('payload.body', 'payload.request_body'));
  });
});
