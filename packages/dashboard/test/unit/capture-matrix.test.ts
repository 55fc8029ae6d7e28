import type { CapturePolicy } from '@culprit/contract/capture/capture';
import { resolveCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { describe, expect, it } from 'vitest';
import { captureMatrix, type EventFate } from '../../src/capture/capture-matrix.ts';
import {
  CONTROL_NAMES,
  CONTROLS,
  faultOfPathRule,
  faultOfStatuses,
  overridesOf,
  type PolicyValues,
  patchOf,
  policyOf,
  valuesOf,
} from '../../src/capture/policy-values.ts';

/** docs/contract/dashboard.md 4.16 and item 24, against the table of docs/contract/ingestion.md 4.3. */

const [inc, ctx, op, rej] = ['incident', 'context', 'operational', 'filtered'] as const;
const TABLE: readonly [label: string, minimal: EventFate, balanced: EventFate, investigative: EventFate][] = [
  ['Exception', inc, inc, inc],
  ['Log error, critical, fatal', inc, inc, inc],
  ['Log warning', rej, ctx, ctx],
  ['Log info', rej, rej, ctx],
  ['Log debug', rej, rej, rej],
  ['Reported message, warning', rej, inc, inc],
  ['Reported message, info', rej, rej, inc],
  ['Request 5xx', inc, inc, inc],
  ['Request 408, 423, 424, 425, 429', rej, inc, inc],
  ['Request 409', rej, rej, inc],
  ['Request 401, 403, 422', rej, rej, inc],
  ['Request 400, 404, other 4xx', rej, rej, ctx],
  ['Request below 400', rej, rej, ctx],
  ['Standalone breadcrumb', rej, rej, ctx],
  ['Standalone probe result', rej, rej, op],
  ['Deploy', ctx, ctx, ctx],
  ['Suppressed errors', op, op, op],
];
const PRESETS = ['minimal', 'balanced', 'investigative'] as const;

const preset = (name: (typeof PRESETS)[number], overrides = {}): CapturePolicy =>
  resolveCapturePolicy({ preset: name, overrides, plan: 'team' });

describe('the capture matrix', () => {
  it.each(PRESETS)('of %s is that of the contract', (name) => {
    const at = PRESETS.indexOf(name) + 1;
    expect(captureMatrix(preset(name), preset(name)).map(({ label, before }) => [label, before])).toEqual(
      TABLE.map((row) => [row[0], row[at]]),
    );
  });

  const choices = CONTROL_NAMES.filter((name) => name !== 'capture_messages').map((name) => [
    null,
    ...Object.keys(CONTROLS[name].choices),
  ]);
  const statusLists = [null, [], [404], [404, 451]];
  const combinations = PRESETS.flatMap((name) =>
    (choices[0] ?? []).flatMap((logs) =>
      (choices[1] ?? []).flatMap((requests) =>
        (choices[2] ?? []).flatMap((breadcrumbs) =>
          (choices[3] ?? []).flatMap((probes) =>
            statusLists.map((statuses) => ({ name, logs, requests, breadcrumbs, probes, statuses })),
          ),
        ),
      ),
    ),
  );

  it('of every preset with every override follows the sentences of the contract', () => {
    expect(combinations).toHaveLength(3 * 5 * 5 * 4 * 3 * 4);
    for (const { name, logs, requests, breadcrumbs, probes, statuses } of combinations) {
      const overrides = Object.fromEntries(
        Object.entries({
          capture_logs: logs,
          capture_request_events: requests,
          capture_breadcrumbs: breadcrumbs,
          capture_probe_events: probes,
          immediate_client_error_statuses: statuses,
        }).filter(([, value]) => value !== null),
      );
      const policy = preset(name, overrides);
      const fates = new Map(
        captureMatrix(policy, policy).flatMap(({ label, before }) =>
          label.startsWith('Request ')
            ? label
                .slice('Request '.length)
                .split(', ')
                .map((status) => [`Request ${status}`, before] as const)
            : [[label, before] as const],
        ),
      );
      const place = JSON.stringify({ name, ...overrides });
      const least = { off: 9, error: 3, warning: 2, info: 1 }[policy.capture_logs];
      const ofLog = (rank: number) => (rank < least ? rej : rank >= 3 ? inc : ctx);
      expect(
        ['Log error, critical, fatal', 'Log warning', 'Log info', 'Log debug'].map((label) =>
          fates.get(label),
        ),
        place,
      ).toEqual([ofLog(3), ofLog(2), ofLog(1), rej]);
      const other = policy.capture_request_events === 'all' ? ctx : rej;
      const soft = name === 'minimal' ? other : inc;
      const listed = (status: number, otherwise: EventFate) =>
        policy.immediate_client_error_statuses.includes(status) ? inc : otherwise;
      expect(fates.get('Request 5xx'), place).toBe(inc);
      expect(fates.get('Request 429'), place).toBe(soft);
      expect(fates.get('Request 409'), place).toBe(name === 'investigative' ? inc : other);
      for (const status of [400, 401, 403, 404, 422]) {
        expect(fates.get(`Request ${status}`), `${place} ${status}`).toBe(listed(status, other));
      }
      expect(fates.get('Request other 4xx'), place).toBe(other);
      if (policy.immediate_client_error_statuses.includes(451)) {
        expect(fates.get('Request 451'), place).toBe(inc);
      }
      expect(fates.get('Request below 400'), place).toBe(other);
      expect(fates.get('Standalone breadcrumb'), place).toBe(
        policy.capture_breadcrumbs === 'standalone' ? ctx : rej,
      );
      expect(fates.get('Standalone probe result'), place).toBe(
        policy.capture_probe_events === 'buffer_only' ? rej : op,
      );
    }
  });

  it('has a line for each path rule, and tells statuses apart that end differently', () => {
    const after = preset('balanced', {
      immediate_client_error_statuses: [404],
      immediate_client_error_path_rules: [
        { status_code: 410, path_pattern: '/checkout/*', methods: ['POST'] },
      ],
    });
    const rows = captureMatrix(preset('balanced'), after);
    expect(rows.filter(({ before, after: now }) => before !== now)).toEqual([
      { label: 'Request 404', before: rej, after: inc },
      { label: 'Request 410 POST /checkout/*', before: rej, after: inc },
    ]);
    expect(rows.map(({ label }) => label)).toContain('Request 400, other 4xx');
  });
});

describe('the values of a policy', () => {
  const none = {
    capture_logs: null,
    capture_messages: null,
    capture_request_events: null,
    capture_breadcrumbs: null,
    capture_probe_events: null,
    immediate_client_error_statuses: null,
    immediate_client_error_path_rules: null,
  };
  const saved = {
    access_mode: 'manage' as const,
    policy: preset('balanced', { capture_logs: 'info', immediate_client_error_statuses: [404] }),
    overrides: { ...none, capture_logs: 'info' as const, immediate_client_error_statuses: [404] },
  };

  it('come back as they were, and send nothing while nothing is changed', () => {
    const values = valuesOf(saved);
    expect(overridesOf(values)).toEqual(saved.overrides);
    expect(policyOf(values, saved)).toEqual(saved.policy);
    expect(patchOf(values, saved)).toEqual({});
  });

  it('go back to the preset as null, and to none as an empty list', () => {
    const values: PolicyValues = {
      ...valuesOf(saved),
      capture_logs: '',
      statuses: { text: '' },
      pathRules: [{ status: '404', path: '/a*', methods: 'get, post' }],
    };
    expect(patchOf(values, saved)).toEqual({
      capture_logs: null,
      immediate_client_error_statuses: [],
      immediate_client_error_path_rules: [
        { status_code: 404, path_pattern: '/a*', methods: ['GET', 'POST'] },
      ],
    });
    expect(patchOf({ ...valuesOf(saved), preset: 'minimal', statuses: null }, saved)).toEqual({
      preset: 'minimal',
      immediate_client_error_statuses: null,
    });
  });

  it('know from what was resolved that the plan takes no probes by themselves', () => {
    const free = {
      access_mode: 'manage' as const,
      policy: resolveCapturePolicy({ preset: 'investigative', overrides: {}, plan: 'free' }),
      overrides: none,
    };
    expect(policyOf(valuesOf(free), free).capture_probe_events).toBe('buffer_only');
  });

  it.each([
    ['401, 404', null],
    ['', null],
    ['500', 'Statuses from 400 to 499, comma-separated'],
    ['400,401,402,403,404,405,406,407,408,409,410,411,412', 'At most 12'],
  ])('the statuses "%s" have the fault %s', (text, fault) => {
    expect(faultOfStatuses(text)).toBe(fault);
  });

  it.each([
    [{ status: '404', path: '/a/*', methods: '' }, null],
    [{ status: '500', path: '/a', methods: '' }, 'Enter a status from 400 to 499'],
    [{ status: '404', path: 'a', methods: '' }, 'The path must begin with / and can end with *'],
    [{ status: '404', path: '/a?b', methods: '' }, 'The path must begin with / and can end with *'],
    [{ status: '404', path: '/a', methods: 'get, fetch' }, 'fetch is not a method'],
  ])('the path rule %j has the fault %s', (rule, fault) => {
    expect(faultOfPathRule(rule)).toBe(fault);
  });
});
