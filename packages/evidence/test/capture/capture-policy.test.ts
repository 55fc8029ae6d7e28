import { describe, expect, it } from 'vitest';
import {
  type CaptureOverrides,
  type ClientErrorPathRule,
  evaluateCapturePolicy,
  type ResolvedCapturePolicy,
  resolveCapturePolicy,
} from '../../src/capture/capture-policy.ts';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { fixture } from '../events/event-fixtures.ts';

const PRESETS = ['minimal', 'balanced', 'investigative'] as const;

function policyOf(preset: string, overrides: CaptureOverrides = {}, plan: 'free' | 'solo' | 'team' = 'solo') {
  return resolveCapturePolicy({ preset, overrides, plan });
}

const FREE = policyOf('minimal', {}, 'free');
const SOLO = policyOf('balanced');
const TEAM = policyOf('investigative', {}, 'team');

/** `rej`, or the short name of the class, as in the matrix of docs/contract/ingestion.md 4.3. */
function outcome(policy: ResolvedCapturePolicy, event: JsonObject): string {
  const check = checkEvent(event);
  if (!check.ok) throw new Error(check.reason);
  const verdict = evaluateCapturePolicy(policy, check.facts);
  if (!verdict.accepted) return 'rej';
  return { incident_signal: 'inc', context_signal: 'ctx', operational_signal: 'op' }[verdict.eventClass];
}

function matched(policy: ResolvedCapturePolicy, event: JsonObject): string | null {
  const check = checkEvent(event);
  const verdict = check.ok ? evaluateCapturePolicy(policy, check.facts) : { accepted: false as const };
  return verdict.accepted ? verdict.matchedPolicy : 'rejected';
}

const log = (level: string) => fixture('LOG', { 'payload.level': level });
const request = (status: number) => fixture('REQ', { 'payload.response_status': status });

function acceptedStatuses(policy: ResolvedCapturePolicy): number[] {
  const statuses = [200, 302, 400, 401, 404, 408, 409, 422, 429, 500];
  return statuses.filter((status) => outcome(policy, request(status)) !== 'rej');
}

describe('the outcome of each event under each preset (docs/contract/ingestion.md 4.3)', () => {
  it.each<[string, JsonObject[], string, string, string]>([
    ['exceptions', [fixture('A'), fixture('FE')], 'inc', 'inc', 'inc'],
    ['log error, critical, fatal', [log('error'), log('critical'), log('fatal')], 'inc', 'inc', 'inc'],
    ['log warning', [log('warning')], 'rej', 'ctx', 'ctx'],
    ['log info', [log('info')], 'rej', 'rej', 'ctx'],
    ['log debug', [log('debug')], 'rej', 'rej', 'rej'],
    ['request 5xx', [500, 503, 599, 999].map(request), 'inc', 'inc', 'inc'],
    ['request 408, 423, 424, 425, 429', [408, 423, 424, 425, 429].map(request), 'rej', 'inc', 'inc'],
    ['request 409', [request(409)], 'rej', 'rej', 'inc'],
    ['request 401, 403, 422', [401, 403, 422].map(request), 'rej', 'rej', 'inc'],
    ['request 400, 404, other 4xx', [400, 404, 418, 499].map(request), 'rej', 'rej', 'ctx'],
    ['request 0 to 399', [0, 100, 200, 302, 399].map(request), 'rej', 'rej', 'ctx'],
    ['breadcrumb', [fixture('CRUMB')], 'rej', 'rej', 'ctx'],
    ['probe event', [fixture('PROBE')], 'rej', 'rej', 'op'],
    ['deploy metadata', [fixture('DEPLOY')], 'ctx', 'ctx', 'ctx'],
    ['error suppressed', [fixture('SUP')], 'op', 'op', 'op'],
  ])('%s', (_, events, ...expected) => {
    PRESETS.forEach((preset, i) => {
      for (const event of events) expect(outcome(policyOf(preset), event), preset).toBe(expected[i]);
    });
  });

  it('is a rejection for probe events on Free whatever the preset', () => {
    const free = policyOf('investigative', { capture_probe_events: 'standalone_when_activated' }, 'free');
    expect(free.capture_probe_events).toBe('buffer_only');
    expect(outcome(free, fixture('PROBE'))).toBe('rej');
  });
});

describe('the capture policy checklist (docs/contract/ingestion.md 9.4)', () => {
  // T062, T063
  it('log levels under balanced and minimal', () => {
    expect(['debug', 'info', 'warn', 'error', 'fatal'].map((level) => outcome(SOLO, log(level)))).toEqual([
      'rej',
      'rej',
      'ctx',
      'inc',
      'inc',
    ]);
    expect(['info', 'warning', 'error', 'critical'].map((level) => outcome(FREE, log(level)))).toEqual([
      'rej',
      'rej',
      'inc',
      'inc',
    ]);
  });

  // T064
  it('logs off', () => {
    const off = policyOf('balanced', { capture_logs: 'off' });
    expect([outcome(off, log('fatal')), outcome(off, fixture('A'))]).toEqual(['rej', 'inc']);
  });

  // T065 to T067
  it('requests under each preset', () => {
    expect(acceptedStatuses(SOLO)).toEqual([408, 429, 500]);
    expect(acceptedStatuses(FREE)).toEqual([500]);
    expect(acceptedStatuses(TEAM)).toHaveLength(10);
    expect([200, 302, 400, 404].map((status) => outcome(TEAM, request(status)))).toEqual(
      Array(4).fill('ctx'),
    );
    expect([401, 408, 409, 422, 429, 500].map((status) => outcome(TEAM, request(status)))).toEqual(
      Array(6).fill('inc'),
    );
  });

  // T068
  it('off still keeps immediate failures', () => {
    const off = policyOf('balanced', { capture_request_events: 'off' });
    expect([503, 429, 404, 200].map((status) => outcome(off, request(status)))).toEqual([
      'inc',
      'inc',
      'rej',
      'rej',
    ]);
  });

  // T069
  it('path rule', () => {
    const rules: ClientErrorPathRule[] = [
      { status_code: 404, path_pattern: '/checkout/*', methods: ['GET'] },
    ];
    const policy = policyOf('balanced', { immediate_client_error_path_rules: rules });
    const on = (path: string, method = 'get', status = 404) =>
      outcome(
        policy,
        fixture('REQ', { 'payload.response_status': status, 'payload.path': path, 'payload.method': method }),
      );
    expect(on('/checkout/o-1?x=1')).toBe('inc');
    expect(on('/robots.txt')).toBe('rej');
    expect(on('/checkout/o-1', 'POST')).toBe('rej');
    expect(on('/checkout/o-1', 'GET', 410)).toBe('rej');
  });

  // T070
  it('breadcrumbs and probes under each preset', () => {
    for (const policy of [FREE, SOLO]) {
      expect([outcome(policy, fixture('CRUMB')), outcome(policy, fixture('PROBE'))]).toEqual(['rej', 'rej']);
    }
    expect([outcome(TEAM, fixture('CRUMB')), outcome(TEAM, fixture('PROBE'))]).toEqual(['ctx', 'op']);
  });

  // T071
  it('never policy-filtered', () => {
    const strict = policyOf('minimal', { capture_logs: 'off', capture_request_events: 'off' }, 'free');
    for (const name of ['A', 'FE', 'DEPLOY', 'SUP'] as const)
      expect(outcome(strict, fixture(name))).not.toBe('rej');
  });
});

describe('path rules (docs/contract/ingestion.md 4.4)', () => {
  function matches(rule: ClientErrorPathRule, path: string, method = 'GET'): boolean {
    const policy = policyOf('minimal', { immediate_client_error_path_rules: [rule] });
    const event = fixture('REQ', {
      'payload.response_status': 404,
      'payload.path': path,
      'payload.method': method,
    });
    return outcome(policy, event) === 'inc';
  }
  const rule = (pattern: string, methods: ClientErrorPathRule['methods'] = []) => ({
    status_code: 404,
    path_pattern: pattern,
    methods,
  });

  it.each([
    ['/a', '/a', true],
    ['/a', '/a?b=c#d', true],
    ['/a', '/a#d', true],
    ['/a', '/a/', false],
    ['/a', '/A', false],
    ['/a*', '/a', true],
    ['/a*', '/ab/c', true],
    ['/a/*', '/a', false],
    ['/*', '/anything', true],
    ['/a', 'https://host.example/a?b', true],
    ['/', 'https://host.example', true],
    ['/a', 'https://host.example/b/a', false],
    ['/constructor', '/constructor', true],
  ])('pattern %s on path %s: %s', (pattern, path, expected) => {
    expect(matches(rule(pattern), path)).toBe(expected);
  });

  it('ask for the method only when they name some', () => {
    expect(matches(rule('/a', ['POST', 'PUT']), '/a', 'put')).toBe(true);
    expect(matches(rule('/a', ['POST']), '/a', 'GET')).toBe(false);
    expect(matches(rule('/a'), '/a', 'BREW')).toBe(true);
  });
});

describe('the reason of a signal', () => {
  const rules = [{ status_code: 404, path_pattern: '/orders/*', methods: [] }];
  const policy = policyOf('balanced', {
    immediate_client_error_statuses: [429, 410],
    immediate_client_error_path_rules: [...rules, { status_code: 410, path_pattern: '/*', methods: [] }],
  });

  it('is the first that applies', () => {
    expect(matched(policy, fixture('A'))).toBe('always_incident');
    expect(matched(policy, log('error'))).toBe('log_level_error');
    expect([500, 429, 410, 404].map((status) => matched(policy, request(status)))).toEqual([
      'immediate_failure_5xx',
      'immediate_failure_preset',
      'immediate_client_error_status',
      'immediate_client_error_path_rule',
    ]);
    expect(matched(policy, log('warning'))).toBeNull();
    expect(matched(policy, fixture('SUP'))).toBeNull();
    expect(matched(policyOf('minimal', { immediate_client_error_statuses: [400] }), request(400))).toBe(
      'immediate_client_error_status',
    );
    expect(matched(TEAM, request(409))).toBe('immediate_failure_preset');
    expect(matched(TEAM, request(401))).toBe('immediate_client_error_status');
    expect(
      matched(policyOf('investigative', { immediate_client_error_statuses: [] }), request(401)),
    ).toBeNull();
  });
});

describe('a message that the program reported', () => {
  const captured = (level: string) => fixture('LOG', { 'payload.level': level, 'payload.captured': true });
  const reasons = (preset: string, overrides = {}) =>
    ['debug', 'info', 'warning', 'error'].map((level) =>
      matched(policyOf(preset, overrides), captured(level)),
    );

  it('opens an incident from a level of its own on, and is judged as a line of a log below', () => {
    const [open, out] = ['captured_message', 'rejected'];
    expect(reasons('minimal')).toEqual([out, out, out, open]);
    expect(reasons('balanced')).toEqual([out, out, open, open]);
    expect(reasons('investigative')).toEqual([out, open, open, open]);
    expect(reasons('minimal', { capture_logs: 'info' })).toEqual([out, null, null, open]);
    expect(reasons('minimal', { capture_logs: 'off', capture_messages: 'warning' })).toEqual([
      out,
      out,
      open,
      open,
    ]);
  });
});

describe('resolving the policy', () => {
  it('takes overrides that are not null, else the preset', () => {
    expect(SOLO).toEqual({
      preset: 'balanced',
      capture_logs: 'warning',
      capture_messages: 'warning',
      capture_request_events: 'failures_only',
      capture_breadcrumbs: 'exception_only',
      capture_probe_events: 'buffer_only',
      immediate_client_error_statuses: [],
      immediate_client_error_path_rules: [],
    });
    expect(
      policyOf('investigative', { capture_logs: null, immediate_client_error_statuses: [] }),
    ).toMatchObject({
      capture_logs: 'info',
      capture_breadcrumbs: 'standalone',
      capture_probe_events: 'standalone_when_activated',
      immediate_client_error_statuses: [],
    });
    expect(TEAM.immediate_client_error_statuses).toEqual([401, 403, 409, 422]);
    expect(policyOf('minimal', { capture_request_events: 'filtered' }).capture_request_events).toBe(
      'filtered',
    );
  });

  it('does not know other presets', () => {
    for (const preset of ['loud', '', 'toString', '__proto__'])
      expect(() => policyOf(preset)).toThrow(RangeError);
  });
});
