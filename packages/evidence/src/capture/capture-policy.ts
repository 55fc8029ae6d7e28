import type { CapturePolicy } from '@culprit/contract/capture/capture';
import type { CapturePolicyPatch } from '@culprit/contract/capture/capture-policy';
import type { EventClass, MatchedPolicy } from '../events/normalize/event.ts';
import { classifyEvent, type ImmediateFailure } from '../events/normalize/event-class.ts';
import type { EventFacts } from '../events/normalize/event-facts.ts';

export type CapturePreset = CapturePolicy['preset'];

/** The plan by which capture is limited (docs/contract/ingestion.md 4.2). */
export type CapturePlan = 'free' | 'solo' | 'team';

/** The seven controls, named as in the API (docs/contract/ingestion.md 4.2). */
type CaptureControls = Omit<CapturePolicy, 'preset'>;

/** One entry of `immediate_client_error_path_rules` (docs/contract/ingestion.md 4.4, 4.6). */
export type ClientErrorPathRule = CaptureControls['immediate_client_error_path_rules'][number];

/** Saved values; null or absent means the preset's. */
export type CaptureOverrides = {
  readonly [Control in keyof CaptureControls]?: CaptureControls[Control] | null;
};

/** The policy of a project with every control resolved: the object `policy` of docs/contract/ingestion.md 4.5. */
export type ResolvedCapturePolicy = CapturePolicy;

const PRESETS: Readonly<Record<CapturePreset, CaptureControls>> = {
  minimal: {
    capture_logs: 'error',
    capture_messages: 'error',
    capture_request_events: 'failures_only',
    capture_breadcrumbs: 'local_only',
    capture_probe_events: 'buffer_only',
    immediate_client_error_statuses: [],
    immediate_client_error_path_rules: [],
  },
  balanced: {
    capture_logs: 'warning',
    capture_messages: 'warning',
    capture_request_events: 'failures_only',
    capture_breadcrumbs: 'exception_only',
    capture_probe_events: 'buffer_only',
    immediate_client_error_statuses: [],
    immediate_client_error_path_rules: [],
  },
  investigative: {
    capture_logs: 'info',
    capture_messages: 'info',
    capture_request_events: 'all',
    capture_breadcrumbs: 'standalone',
    capture_probe_events: 'standalone_when_activated',
    immediate_client_error_statuses: [401, 403, 409, 422],
    immediate_client_error_path_rules: [],
  },
};

/**
 * The 4xx statuses that are immediate failures under a preset, besides the listed ones (docs/contract/ingestion.md
 * 4.4).
 */
const PRESET_FAILURES: Readonly<Record<CapturePreset, ReadonlySet<number>>> = {
  minimal: new Set(),
  balanced: new Set([408, 423, 424, 425, 429]),
  investigative: new Set([408, 409, 423, 424, 425, 429]),
};

/** Lowest rank that each setting lets through; `debug` has rank 0 and never passes. */
const LOG_RANKS: Readonly<Record<CaptureControls['capture_logs'], number>> = {
  off: Number.POSITIVE_INFINITY,
  error: 3,
  warning: 2,
  info: 1,
};

/**
 * The controls in force: an override where there is one, else the preset's value. Free never takes standalone probe
 * events; the choice stays saved for an upgrade (docs/contract/ingestion.md 4.2).
 * @throws RangeError for an unknown preset
 */
export function resolveCapturePolicy(saved: {
  preset: string;
  overrides: CaptureOverrides;
  plan: CapturePlan;
}): ResolvedCapturePolicy {
  const { preset, overrides, plan } = saved;
  if (!isCapturePreset(preset)) throw new RangeError(`unknown capture preset ${preset}`);
  const defaults = PRESETS[preset];
  return {
    preset,
    capture_logs: overrides.capture_logs ?? defaults.capture_logs,
    capture_messages: overrides.capture_messages ?? defaults.capture_messages,
    capture_request_events: overrides.capture_request_events ?? defaults.capture_request_events,
    capture_breadcrumbs: overrides.capture_breadcrumbs ?? defaults.capture_breadcrumbs,
    capture_probe_events:
      plan === 'free' ? 'buffer_only' : (overrides.capture_probe_events ?? defaults.capture_probe_events),
    immediate_client_error_statuses:
      overrides.immediate_client_error_statuses ?? defaults.immediate_client_error_statuses,
    immediate_client_error_path_rules:
      overrides.immediate_client_error_path_rules ?? defaults.immediate_client_error_path_rules,
  };
}

function isCapturePreset(preset: string): preset is CapturePreset {
  return Object.hasOwn(PRESETS, preset);
}

export type CaptureVerdict =
  | { accepted: false }
  | { accepted: true; eventClass: EventClass; matchedPolicy: MatchedPolicy | null };

/** Step 9 of docs/contract/ingestion.md 3.1: whether a project wants an event (4.3), and as what (4.1). */
export function evaluateCapturePolicy(policy: ResolvedCapturePolicy, facts: EventFacts): CaptureVerdict {
  const failure = facts.request === null ? null : immediateFailure(policy, facts.request);
  if (!isWanted(policy, facts, failure)) return { accepted: false };
  return { accepted: true, ...classifyEvent(facts, failure, LOG_RANKS[policy.capture_messages]) };
}

function isWanted(
  policy: ResolvedCapturePolicy,
  facts: EventFacts,
  failure: ImmediateFailure | null,
): boolean {
  switch (facts.eventType) {
    case 'log_event':
      return (
        (facts.logRank ?? 0) >= LOG_RANKS[facts.isCaptured ? leastCaptured(policy) : policy.capture_logs]
      );
    case 'request_event':
      return failure !== null || policy.capture_request_events === 'all';
    case 'frontend_breadcrumb':
      return policy.capture_breadcrumbs === 'standalone';
    case 'probe_event':
      return policy.capture_probe_events === 'standalone_when_activated';
    default:
      return true;
  }
}

/** A message below the level that opens an incident is judged as any line of a log. */
function leastCaptured({
  capture_logs: logs,
  capture_messages: messages,
}: ResolvedCapturePolicy): CaptureControls['capture_logs'] {
  return LOG_RANKS[messages] < LOG_RANKS[logs] ? messages : logs;
}

/** Why a request is an immediate failure (docs/contract/ingestion.md 4.4); null when it is none. */
function immediateFailure(
  policy: ResolvedCapturePolicy,
  request: { method: string; path: string; status: number },
): ImmediateFailure | null {
  const { status } = request;
  if (status >= 500) return 'immediate_failure_5xx';
  if (status < 400) return null;
  if (PRESET_FAILURES[policy.preset].has(status)) return 'immediate_failure_preset';
  if (policy.immediate_client_error_statuses.includes(status)) return 'immediate_client_error_status';
  const { immediate_client_error_path_rules: rules } = policy;
  if (rules.length === 0) return null;
  const path = pathOnly(request.path);
  return rules.some((rule) => matchesPathRule(rule, request, path))
    ? 'immediate_client_error_path_rule'
    : null;
}

function matchesPathRule(
  rule: ClientErrorPathRule,
  request: { method: string; status: number },
  path: string,
): boolean {
  if (rule.status_code !== request.status) return false;
  const method = request.method.toUpperCase();
  if (rule.methods.length > 0 && !rule.methods.some((each) => each === method)) return false;
  return rule.path_pattern.endsWith('*')
    ? path.startsWith(rule.path_pattern.slice(0, -1))
    : path === rule.path_pattern;
}

/** The path of a path or a full URL, without query and fragment. */
function pathOnly(path: string): string {
  const end = path.search(/[?#]/);
  const bare = end === -1 ? path : path.slice(0, end);
  const origin = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^/]*/.exec(bare);
  if (origin === null) return bare;
  return bare.slice(origin[0].length) || '/';
}

/**
 * Saved overrides with a change applied: absent keeps, null goes back to the preset (docs/contract/ingestion.md 4.6).
 * Statuses are kept without repeats and ascending.
 */
export function patchedOverrides(overrides: CaptureOverrides, patch: CapturePolicyPatch): CaptureOverrides {
  const {
    preset: _preset,
    immediate_client_error_statuses: statuses,
    immediate_client_error_path_rules: rules,
    ...words
  } = patch;
  const merged: CaptureOverrides = {
    ...overrides,
    ...words,
    ...(statuses === undefined
      ? {}
      : { immediate_client_error_statuses: statuses === null ? null : sortedStatuses(statuses) }),
    ...(rules === undefined
      ? {}
      : { immediate_client_error_path_rules: rules === null ? null : rules.map(completeRule) }),
  };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

function sortedStatuses(statuses: readonly number[]): number[] {
  return [...new Set(statuses)].sort((a, b) => a - b);
}

function completeRule(
  rule: Omit<ClientErrorPathRule, 'methods'> & Partial<Pick<ClientErrorPathRule, 'methods'>>,
): ClientErrorPathRule {
  return {
    status_code: rule.status_code,
    path_pattern: rule.path_pattern,
    methods: [...new Set(rule.methods ?? [])],
  };
}
