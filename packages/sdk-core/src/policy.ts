import type { CapturePolicy, EventType, JsonValue, PathRule, Preset } from './wire.ts';

/** The verdict of the capture policy on an event before it is built. */
export interface Verdict {
  /** Null while the policy is not known yet: the event is judged when it is. */
  wanted: boolean | null;
  /**
   * The order of eviction; the highest is last: 2 exceptions and deploys, 1 other signals and suppression reports, 0
   * context.
   */
  rank: number;
}

/** @param payload as captured; level, status, method and path are read */
export type Judge = (type: EventType, payload: PolicyFacts) => Verdict;

export interface PolicyFacts {
  readonly [key: string]: unknown;
}

/** The values of each control, and the choices of the presets among them, by position and in their order. */
const CONTROLS = [
  ['preset', 'minimal balanced investigative', '012'],
  ['capture_logs', 'off error warning info', '123'],
  ['capture_request_events', 'off failures_only filtered all', '113'],
  ['capture_breadcrumbs', 'local_only exception_only standalone', '012'],
  ['capture_probe_events', 'buffer_only standalone_when_activated', '001'],
] as const;

/** The controls of a preset (docs/contract/ingestion.md 4.2). */
export function presetPolicy(preset: Preset): CapturePolicy {
  const column = CONTROLS[0][1].split(' ').indexOf(preset);
  const policy: { [key: string]: unknown } = {
    immediate_client_error_statuses: column > 1 ? [401, 403, 409, 422] : [],
    immediate_client_error_path_rules: [],
  };
  for (const [name, choices, chosen] of CONTROLS) policy[name] = choices.split(' ')[Number(chosen[column])];
  return policy as unknown as CapturePolicy;
}

/** Returns true if a value is a policy, with every required control. */
export function isPolicy(value: unknown): value is CapturePolicy {
  const policy = Object(value);
  const paths = policy.immediate_client_error_path_rules;
  return (
    CONTROLS.every(([name, choices]) => choices.split(' ').includes(policy[name])) &&
    Array.isArray(policy.immediate_client_error_statuses) &&
    Array.isArray(paths) &&
    paths.every((rule) => {
      const { status_code, path_pattern, methods } = Object(rule);
      return Number.isInteger(status_code) && typeof path_pattern === 'string' && Array.isArray(methods);
    })
  );
}

const LEAST_LEVEL = { off: 9, error: 3, warning: 2, info: 1 };

/** Judges by a policy that may not be known yet (docs/contract/ingestion.md 4.3); rank then goes by `balanced`. */
export function createJudge(current: () => CapturePolicy | null): Judge {
  return (type, payload) => {
    const known = current();
    const policy = known ?? presetPolicy('balanced');
    if (/exception|deploy/.test(type)) return { wanted: true, rank: 2 };
    if (type === 'error_suppressed') return { wanted: true, rank: 1 };
    let isSignal = false;
    let wanted: boolean;
    if (type === 'log_event') {
      const level = levelRank(payload.level ?? 'info');
      // The service alone knows which messages that a program reports itself open an incident.
      const isCaptured = !!payload.captured;
      isSignal = level > (isCaptured ? 1 : 2);
      wanted = isCaptured || level >= LEAST_LEVEL[policy.capture_logs];
    } else if (type === 'request_event') {
      isSignal = isImmediateFailure(policy, payload);
      wanted = isSignal || policy.capture_request_events === 'all';
      if (Number(payload.response_status) >= 500) return { wanted, rank: 1 };
    } else if (type === 'probe_event') wanted = policy.capture_probe_events === 'standalone_when_activated';
    else wanted = policy.capture_breadcrumbs === 'standalone';
    return { wanted: known && wanted, rank: isSignal ? 1 : 0 };
  };
}

/** Returns true if a request is an immediate failure (docs/contract/ingestion.md 4.4). */
export function isImmediateFailure(policy: CapturePolicy, request: PolicyFacts): boolean {
  const status = Number(request.response_status);
  return (
    status >= 500 ||
    (status >= 400 &&
      ((policy.preset !== 'minimal' && [408, 423, 424, 425, 429].includes(status)) ||
        (policy.preset === 'investigative' && status === 409) ||
        policy.immediate_client_error_statuses.includes(status) ||
        policy.immediate_client_error_path_rules.some((rule) => matchesPathRule(rule, status, request))))
  );
}

function matchesPathRule(rule: PathRule, status: number, request: PolicyFacts): boolean {
  const { status_code, methods, path_pattern: pattern } = rule;
  const path = pathOnly(String(request.path));
  return (
    status_code === status &&
    (!methods.length || methods.includes(String(request.method).toUpperCase())) &&
    (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern)
  );
}

/** The path of a path or a full address, without query and fragment. */
export function pathOnly(address: string): string {
  const bare = address.replace(/[?#][\s\S]*$/, '');
  const origin = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^/]*/.exec(bare);
  return origin ? bare.slice(origin[0].length) || '/' : bare;
}

/** The words of each level, its name first. */
const LEVELS = 'debug trace verbose,info information notice,warning warn,error,critical alert emergency fatal'
  .split(',')
  .map((words) => words.split(' '));

/** Rank of a level word in any case, 0 to 4 (docs/contract/ingestion.md 2.4); -1 for any other value. */
export function levelRank(word: unknown): number {
  return typeof word === 'string' ? LEVELS.findIndex((words) => words.includes(word.toLowerCase())) : -1;
}

/** Returns the level of a word; `info` for a word that is none. */
export function levelName(word: JsonValue | undefined | unknown): string {
  return /^fatal$/i.test(String(word)) ? 'fatal' : (LEVELS[levelRank(word)]?.[0] ?? 'info');
}
