import type { CaptureOverrides, CapturePolicy } from '@culprit/contract/capture/capture';
import type { CapturePolicyAnswer, CapturePolicyPatch } from '@culprit/contract/capture/capture-policy';
import {
  type CapturePlan,
  type CapturePreset,
  patchedOverrides,
  resolveCapturePolicy,
} from '@culprit/evidence/capture/capture-policy';

export const PRESETS: readonly [CapturePreset, string][] = [
  ['minimal', 'Exceptions, log errors, and requests that failed with 5xx'],
  ['balanced', 'Also warnings, and requests that hit rate limits or locks'],
  ['investigative', 'All requests, info logs, and all breadcrumbs and probe results'],
];

/** The values of each control, from least to most, with what they mean. */
export const CONTROLS = {
  capture_logs: {
    label: 'Logs',
    choices: { off: 'none', error: 'from error', warning: 'from warning', info: 'from info' },
  },
  capture_messages: {
    label: 'Messages that open an incident',
    choices: { error: 'from error', warning: 'from warning', info: 'from info' },
  },
  capture_request_events: {
    label: 'Requests',
    choices: {
      off: 'failures that open an incident',
      failures_only: 'failures only',
      filtered: 'those that libraries filter',
      all: 'all',
    },
  },
  capture_breadcrumbs: {
    label: 'Breadcrumbs',
    choices: {
      local_only: 'stay in the client',
      exception_only: 'with exceptions',
      standalone: 'also without exceptions',
    },
  },
  capture_probe_events: {
    label: 'Probes',
    choices: { buffer_only: 'with exceptions', standalone_when_activated: 'also without exceptions' },
  },
} as const;

export const CONTROL_NAMES = [
  'capture_logs',
  'capture_messages',
  'capture_request_events',
  'capture_breadcrumbs',
  'capture_probe_events',
] as const;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
type Method = (typeof METHODS)[number];

/** A path rule in the form in which it is typed. */
export interface TypedPathRule {
  status: string;
  path: string;
  /** Comma-separated; empty is any. */
  methods: string;
}

/** The values of the editor. Empty text is the preset's value; null lists are the preset's. */
export interface PolicyValues {
  preset: CapturePreset;
  capture_logs: CapturePolicy['capture_logs'] | '';
  capture_messages: CapturePolicy['capture_messages'] | '';
  capture_request_events: CapturePolicy['capture_request_events'] | '';
  capture_breadcrumbs: CapturePolicy['capture_breadcrumbs'] | '';
  capture_probe_events: CapturePolicy['capture_probe_events'] | '';
  statuses: { text: string } | null;
  pathRules: TypedPathRule[] | null;
}

export function valuesOf({ policy, overrides }: CapturePolicyAnswer): PolicyValues {
  return {
    preset: policy.preset,
    capture_logs: overrides.capture_logs ?? '',
    capture_messages: overrides.capture_messages ?? '',
    capture_request_events: overrides.capture_request_events ?? '',
    capture_breadcrumbs: overrides.capture_breadcrumbs ?? '',
    capture_probe_events: overrides.capture_probe_events ?? '',
    statuses:
      overrides.immediate_client_error_statuses === null
        ? null
        : { text: overrides.immediate_client_error_statuses.join(', ') },
    pathRules: overrides.immediate_client_error_path_rules?.map(typedRule) ?? null,
  };
}

function typedRule(rule: CapturePolicy['immediate_client_error_path_rules'][number]): TypedPathRule {
  return { status: String(rule.status_code), path: rule.path_pattern, methods: rule.methods.join(', ') };
}

const STATUSES_MAX = 12;

/** Why the typed statuses are not accepted; null when they are. */
export function faultOfStatuses(text: string): string | null {
  const statuses = wordsIn(text);
  if (statuses.some((each) => !/^4\d\d$/.test(each))) return 'Statuses from 400 to 499, comma-separated';
  return statuses.length > STATUSES_MAX ? `At most ${STATUSES_MAX}` : null;
}

/** Why a typed path rule is not accepted; null when it is. */
export function faultOfPathRule({ status, path, methods }: TypedPathRule): string | null {
  if (!/^4\d\d$/.test(status.trim())) return 'Enter a status from 400 to 499';
  if (!/^\/[^?#*]*\*?$/.test(path.trim())) return 'The path must begin with / and can end with *';
  const unknown = wordsIn(methods).find((each) => methodOf(each) === null);
  return unknown === undefined ? null : `${unknown} is not a method`;
}

function wordsIn(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function methodOf(word: string): Method | null {
  return METHODS.find((method) => method === word.toUpperCase()) ?? null;
}

/** Returns the overrides to save beside the preset. */
export function overridesOf(values: PolicyValues): CaptureOverrides {
  return {
    capture_logs: values.capture_logs === '' ? null : values.capture_logs,
    capture_messages: values.capture_messages === '' ? null : values.capture_messages,
    capture_request_events: values.capture_request_events === '' ? null : values.capture_request_events,
    capture_breadcrumbs: values.capture_breadcrumbs === '' ? null : values.capture_breadcrumbs,
    capture_probe_events: values.capture_probe_events === '' ? null : values.capture_probe_events,
    immediate_client_error_statuses:
      values.statuses === null ? null : wordsIn(values.statuses.text).map(Number),
    immediate_client_error_path_rules:
      values.pathRules?.map(({ status, path, methods }) => ({
        status_code: Number(status),
        path_pattern: path.trim(),
        methods: wordsIn(methods).flatMap((word) => methodOf(word) ?? []),
      })) ?? null,
  };
}

/** Returns true if every field holds a value that can be sent. */
export function isSound({ statuses, pathRules }: PolicyValues): boolean {
  const isStatusesSound = statuses === null || faultOfStatuses(statuses.text) === null;
  return isStatusesSound && (pathRules ?? []).every((rule) => faultOfPathRule(rule) === null);
}

/** Only what was changed: null goes back to the preset. */
export function patchOf(values: PolicyValues, saved: CapturePolicyAnswer): CapturePolicyPatch {
  const now = overridesOf(values);
  const before = saved.overrides;
  const isChanged = (name: keyof CaptureOverrides) =>
    JSON.stringify(now[name]) !== JSON.stringify(before[name]);
  return {
    ...(values.preset === saved.policy.preset ? {} : { preset: values.preset }),
    ...(isChanged('capture_logs') ? { capture_logs: now.capture_logs } : {}),
    ...(isChanged('capture_messages') ? { capture_messages: now.capture_messages } : {}),
    ...(isChanged('capture_request_events') ? { capture_request_events: now.capture_request_events } : {}),
    ...(isChanged('capture_breadcrumbs') ? { capture_breadcrumbs: now.capture_breadcrumbs } : {}),
    ...(isChanged('capture_probe_events') ? { capture_probe_events: now.capture_probe_events } : {}),
    ...(isChanged('immediate_client_error_statuses')
      ? { immediate_client_error_statuses: now.immediate_client_error_statuses }
      : {}),
    ...(isChanged('immediate_client_error_path_rules')
      ? { immediate_client_error_path_rules: now.immediate_client_error_path_rules }
      : {}),
  };
}

/** The policy that the values make. What the plan withholds stays withheld. */
export function policyOf(values: PolicyValues, saved: CapturePolicyAnswer): CapturePolicy {
  const overrides = patchedOverrides({}, overridesOf(values));
  return resolveCapturePolicy({ preset: values.preset, overrides, plan: planOf(saved) });
}

/** Returns the values of the controls without overrides. */
export function presetPolicy(preset: CapturePreset, saved: CapturePolicyAnswer): CapturePolicy {
  return resolveCapturePolicy({ preset, overrides: {}, plan: planOf(saved) });
}

/** The plan, as far as it shows in what was resolved: only Free takes probes away that were chosen. */
function planOf({ policy, overrides }: CapturePolicyAnswer): CapturePlan {
  const wanted = resolveCapturePolicy({
    preset: policy.preset,
    overrides: patchedOverrides({}, overrides),
    plan: 'team',
  });
  return wanted.capture_probe_events === policy.capture_probe_events ? 'team' : 'free';
}
