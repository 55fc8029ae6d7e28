import type { CaptureMatcher, CaptureRule, CaptureRuleAction } from '@culprit/contract/capture/capture';
import type { CaptureRulePatch, NewCaptureRule } from '@culprit/contract/capture/capture-rules';
import { findRuleFault, newRuleSettings } from '@culprit/evidence/capture/capture-rule';
import { type Condition, conditionsOf, faultOfCondition, matcherOf } from './rule-conditions.ts';

export const LIFETIMES_DAYS = [1, 7, 30, 90] as const;
const DAY_MS = 86_400_000;

/** The values of the editor. */
export interface RuleValues {
  name: string;
  description: string;
  action: CaptureRuleAction;
  conditions: Condition[];
  /** In percent. */
  sampleRate: string;
  sampleEventClass: 'preserve' | 'context';
  /** Days from now, `never`, or `keep` for the end that is stored. */
  lifetime: string;
  isEnabled: boolean;
}

export const NEW_RULE: RuleValues = {
  name: '',
  description: '',
  action: 'demote',
  conditions: [{ fact: 'message_contains', value: '' }],
  sampleRate: '10',
  sampleEventClass: 'context',
  lifetime: '30',
  isEnabled: true,
};

export function valuesOf(rule: CaptureRule): RuleValues {
  return {
    name: rule.name,
    description: rule.description ?? '',
    action: rule.action,
    conditions: conditionsOf(rule.matcher),
    sampleRate: rule.sample_rate === null ? '10' : String(Number((rule.sample_rate * 100).toFixed(4))),
    sampleEventClass: rule.sample_event_class ?? 'context',
    lifetime: rule.expires_at === null ? 'never' : 'keep',
    isEnabled: rule.enabled,
  };
}

/** Returns the end of the rule, by the time of saving; null is never. */
export function endOf({ lifetime }: RuleValues, stored: CaptureRule | null, nowMs: number): string | null {
  if (lifetime === 'never') return null;
  if (lifetime === 'keep') return stored?.expires_at ?? null;
  return new Date(nowMs + Number(lifetime) * DAY_MS).toISOString();
}

export function newRuleOf(values: RuleValues, stored: CaptureRule | null, nowMs: number): NewCaptureRule {
  const isSample = values.action === 'sample';
  return {
    name: values.name.trim(),
    description: values.description.trim() === '' ? null : values.description.trim(),
    enabled: values.isEnabled,
    action: values.action,
    matcher: matcherOf(values.conditions),
    ...(isSample ? { sample_rate: rateOf(values), sample_event_class: values.sampleEventClass } : {}),
    expires_at: endOf(values, stored, nowMs),
  };
}

/** The rate as a share of 1; NaN for what is no percentage. */
export function rateOf({ sampleRate }: RuleValues): number {
  const percent = sampleRate.trim() === '' ? Number.NaN : Number(sampleRate);
  return percent >= 0 && percent <= 100 ? percent / 100 : Number.NaN;
}

/** Returns only the changed fields, so that another person's changes stay. */
export function patchOf(values: RuleValues, stored: CaptureRule, nowMs: number): CaptureRulePatch {
  const body = newRuleOf(values, stored, nowMs);
  const isSampleChanged =
    body.action === 'sample' &&
    (body.sample_rate !== stored.sample_rate || body.sample_event_class !== stored.sample_event_class);
  return {
    ...(body.name === stored.name ? {} : { name: body.name }),
    ...((body.description ?? null) === stored.description ? {} : { description: body.description ?? null }),
    ...(values.isEnabled === stored.enabled ? {} : { enabled: values.isEnabled }),
    ...(body.action === stored.action ? {} : { action: body.action }),
    ...(sameMatcher(body.matcher, stored.matcher) ? {} : { matcher: body.matcher }),
    ...(isSampleChanged
      ? { sample_rate: body.sample_rate ?? null, sample_event_class: body.sample_event_class ?? null }
      : {}),
    ...((body.expires_at ?? null) === stored.expires_at ? {} : { expires_at: body.expires_at ?? null }),
  };
}

function sameMatcher(a: NewCaptureRule['matcher'], b: CaptureMatcher): boolean {
  const sorted = (matcher: object) => JSON.stringify(Object.entries(matcher).sort());
  return sorted(a) === sorted(b);
}

/** Why the values are not a rule yet, for the place below the fields; null when they are. */
export function faultOfRule(values: RuleValues): string | null {
  return values.name.trim() === '' ? 'A rule needs a name.' : faultOfMatch(values);
}

/** The same without its name: whether it is clear what the rule would do. */
export function faultOfMatch(values: RuleValues): string | null {
  if (values.conditions.length === 0)
    return 'A rule needs a condition: without one it would match everything.';
  if (values.conditions.some((condition) => faultOfCondition(condition) !== null)) {
    return 'Complete every condition.';
  }
  if (values.action === 'sample' && Number.isNaN(rateOf(values)))
    return 'The share is a percentage from 0 to 100.';
  const fault = findRuleFault(newRuleSettings(newRuleOf({ ...values, lifetime: 'never' }, null, 0)));
  return fault === null ? null : (FAULT_WORDS[fault.words] ?? `${fault.pointer} ${fault.words}`);
}

/** The sentences of the server's own check, for people who fill in a form. */
const FAULT_WORDS: Readonly<Record<string, string>> = {
  'must have a key besides event_types': 'The event type alone is too broad. Add another condition.',
  'must have resource_url or fingerprint for resource_error':
    'Resources that did not load also need a host or a path.',
};
