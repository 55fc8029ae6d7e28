import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import { type FixtureName, fixture, fixtureNames } from './event-fixtures.ts';
import { conflict, invalid, missing, reasonOf } from './event-reasons.ts';

describe('the bounds of envelope fields', () => {
  it.each<[string, JsonValue[], JsonValue[]]>([
    [
      'event_id',
      ['e', 'x'.repeat(128), '\u{1f600}'.repeat(128)],
      ['', 'x'.repeat(129), 'a\nb', '\u0085', 7, null],
    ],
    ['schema_version', ['1', 'x'.repeat(64)], ['', 'x'.repeat(65), 1, null]],
    ['sdk_language', ['python', 'x'.repeat(32), '', null], ['x'.repeat(33), 1]],
    ['project_id', ['p', null], [1]],
    ['project_token', ['', 'svc_proj_x'], [1, null]],
    ['context', [{}, null, []], ['x', 1, [1]]],
    ['correlation', [{}, null, [], { trace_id: 'x'.repeat(256) }], [[1], 'x']],
    ['service', [{ name: ' a ', environment: `${' '.repeat(300)}b` }], ['api', 1, null, []]],
    ['device', [{}, [], null, { battery_level: 1, anything: [] }], ['x', { battery_level: 1.5 }]],
  ])('%s', (field, good, bad) => {
    for (const value of good)
      expect(reasonOf(fixture('W', { [field]: value })), JSON.stringify(value)).toBeNull();
    for (const value of bad) {
      expect(reasonOf(fixture('W', { [field]: value })), JSON.stringify(value)).toMatch(
        new RegExp(`^invalid_event: invalid field "${field}`),
      );
    }
  });

  it('trims service name and environment before measuring', () => {
    const name = (value: string) => reasonOf(fixture('A', { 'service.name': value }));
    expect(name(`  ${'x'.repeat(200)}\n`)).toBeNull();
    expect(name('x'.repeat(201))).toBe(invalid('service.name'));
    expect(name('   ')).toBe(invalid('service.name'));
  });

  it('takes wire pairs beside the sdk object when they agree', () => {
    expect(reasonOf(fixture('A', { sdk_name: 'handmade', sdk_version: '1.0.0' }))).toBeNull();
    expect(reasonOf(fixture('A', { sdk_version: '2' }))).toBe(conflict('sdk.version', 'sdk_version'));
    expect(reasonOf(fixture('A', {}, ['sdk.version']))).toBe(missing('sdk.version'));
  });
});

describe('the bounds of payload fields', () => {
  it.each<[FixtureName, string, JsonValue[], JsonValue[]]>([
    ['W', 'name', ['E', 'x'.repeat(9_000), '', null], [1, []]],
    ['W', 'message', ['', null], [1, {}]],
    [
      'W',
      'stack',
      ['', null, [], ['a', 'b'], [{}, { line: null, extra: 1 }], ['a', { file: 'x' }]],
      [1, {}, [[]], [{ line: 1.5 }]],
    ],
    ['W', 'handled', [true, false], ['true', 1, null]],
    [
      'W',
      'request',
      [{}, [], null, { path: '/a', url: 'https://x/b', verb: 1 }],
      ['x', [1], { path: 1 }, { headers: null }],
    ],
    ['W', 'response', [{}, [], null, { status_code: null }], [{ status_code: -1 }, { status_code: 1.5 }]],
    [
      'W',
      'runtime',
      [{ thread_id: 7 }, { thread_id: 'main' }, { memory: { rss: 1.5, x: null } }, []],
      [{ pid: -1 }, { memory: { rss: 'x' } }, { version: null }],
    ],
    [
      'W',
      'causes',
      [[], Array.from({ length: 20 }, () => ({})), [{ name: 'A', message: null, stack: ['x'] }]],
      [Array.from({ length: 21 }, () => ({})), null],
    ],
    ['W', 'inner_exception', [null, {}, []], ['x', { stack: 1 }]],
    ['W', 'hresult', [-2147467261, null], ['x', 1.5]],
    [
      'W',
      'probe_data',
      [
        null,
        [],
        { version: 1 },
        { version: 1, items: [{ label: 'a', occurred_at: '2026-03-24T10:30:00Z', data: 7 }] },
      ],
      [{ items: [{ label: 'a' }] }, { items: [{ timestamp: '2026-03-24T10:30:00Z' }] }],
    ],
    [
      'FE',
      'breadcrumbs',
      [
        Array.from({ length: 100 }, () => ({ breadcrumb_type: 'click', ts: 'soon' })),
        [{ ts: 1711276200000 }],
      ],
      [Array.from({ length: 101 }, () => ({})), [{ ts: true }], [7]],
    ],
    [
      'FE',
      'browser_event',
      [null],
      [
        { kind: 'other', opaque: true },
        { kind: 'window_error' },
        { kind: 'window_error', opaque: 'no' },
        { kind: 'window_error', opaque: false, line_number: -1 },
      ],
    ],
    [
      'FE',
      'rejection_reason',
      [null, { kind: 'undefined' }, { kind: 'error', name: 'E' }],
      [{}, { kind: 'nope' }],
    ],
    [
      'FE',
      'dom_context',
      [null, { mode: 'lightweight', html_excerpt: '' }],
      [{ mode: 'full', html_excerpt: '' }, { mode: 'lightweight' }],
    ],
    ['FE', 'handled', [true, null], ['x']],
    ['FE', 'url', ['https://x/'], [null, 1]],
    [
      'FE',
      'device',
      [{ device_type: 'toaster' }, { device_pixel_ratio: 0.5 }],
      [{ device_pixel_ratio: 0 }, { color_scheme_preference: 'pink' }, { screen: { width: -1 } }],
    ],
    ['REQ', 'method', ['get', 'x'.repeat(32)], ['', 'x'.repeat(33), null]],
    ['REQ', 'path', ['/', 'https://x/y'], ['', 1, null]],
    ['REQ', 'response_status', [0, 999, null], [-1, 1_000, 200.5, '200', Number.POSITIVE_INFINITY]],
    ['REQ', 'duration_ms', [0, 0.5, null], [-1, '1', Number.POSITIVE_INFINITY]],
    ['REQ', 'response_headers', [{}, [], null], ['x']],
    ['LOG', 'message', [''], [null, 1]],
    [
      'LOG',
      'level',
      ['TRACE', 'Verbose', 'notice', 'WARN', 'alert', 'Emergency', 'fatal', 'information'],
      ['', null, 3, 'errors', 'ｅrror'],
    ],
    ['LOG', 'throwable', [null, 'text', { a: 1 }, []], [1, [1]]],
    ['CRUMB', 'breadcrumb_type', ['x', 'x'.repeat(64)], ['', 'x'.repeat(65)]],
    ['DEPLOY', 'deployed_at', ['2026-03-24T10:29:00+01:00', '2026-03-24T10:29:00'], ['2026-03-24', null]],
    ['DEPLOY', 'environment', ['x'.repeat(200)], ['', 'x'.repeat(201)]],
    ['SUP', 'suppressed_count', [0, 5_000_000], [-1, 1.5, null]],
    ['SUP', 'window_seconds', [1, 3600], [0, -1, null]],
    ['SUP', 'fingerprint', [null, 'x'.repeat(257), 'x'.repeat(100_000)], ['', 7]],
    ['SUP', 'first_seen', ['2026-03-24T10:30:29Z'], ['2026-03-24T10:30:30Z']],
    ['PROBE', 'label', ['x'.repeat(200)], ['', 'x'.repeat(201)]],
    ['PROBE', 'data', [{}, [], [1], 'x', 7, null, true], []],
    [
      'PROBE',
      'activation_id',
      [null, '550e8400-e29b-41d4-a716-446655440000', 'act_550E8400-E29B-41D4-A716-446655440000'],
      ['act_', '550e8400', 'act_550e8400-e29b-41d4-a716-44665544000g', 7],
    ],
  ])('%s payload.%s', (name, field, good, bad) => {
    for (const value of good) {
      expect(reasonOf(fixture(name, { [`payload.${field}`]: value })), JSON.stringify(value)).toBeNull();
    }
    for (const value of bad) {
      const reason = reasonOf(fixture(name, { [`payload.${field}`]: value }));
      expect(reason, JSON.stringify(value)).toMatch(/^invalid_event: (?:invalid|missing) field "payload\./);
      expect(reason).toContain(`"payload.${field}`);
    }
  });

  it('tolerates the common extra keys in every payload', () => {
    for (const name of fixtureNames) {
      const tolerated = {
        'payload.device': { os_name: 'x' },
        'payload.context': { a: 1 },
        'payload.trace_id': 't',
        'payload.request_id': null,
        'payload.source': 'x'.repeat(200),
      };
      expect(reasonOf(fixture(name, tolerated))).toBeNull();
      expect(reasonOf(fixture(name, { 'payload.source': 'x'.repeat(201) }))).toBe(invalid('payload.source'));
      expect(reasonOf(fixture(name, { 'payload.trace_id': 7 }))).toBe(invalid('payload.trace_id'));
      expect(reasonOf(fixture(name, { 'payload.device': { model: 1 } }))).toBe(
        invalid('payload.device.model'),
      );
    }
  });

  it('asks a deployment for a commit or a version', () => {
    expect(reasonOf(fixture('DEPLOY', {}, ['payload.commit_sha']))).toBeNull();
    expect(reasonOf(fixture('DEPLOY', {}, ['payload.version']))).toBeNull();
    expect(reasonOf(fixture('DEPLOY', { 'payload.commit_sha': null }))).toBeNull();
    expect(reasonOf(fixture('DEPLOY', {}, ['payload.commit_sha', 'payload.version']))).toBe(
      missing('payload.commit_sha'),
    );
    expect(reasonOf(fixture('DEPLOY', { 'payload.commit_sha': null }, ['payload.version']))).toBe(
      missing('payload.commit_sha'),
    );
  });
});
