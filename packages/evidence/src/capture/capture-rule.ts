import type { CaptureMatcher, CaptureMatcherRequest, CaptureRule } from '@culprit/contract/capture/capture';
import type { CaptureRulePatch, NewCaptureRule } from '@culprit/contract/capture/capture-rules';
import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';

/** The settings of a rule that people edit (docs/contract/ingestion.md 5.1). */
export interface RuleSettings {
  name: string;
  description: string | null;
  isEnabled: boolean;
  action: CaptureRule['action'];
  matcher: CaptureMatcher;
  sampleRate: CaptureRule['sample_rate'];
  sampleEventClass: CaptureRule['sample_event_class'];
  /** Milliseconds since the epoch. */
  expiresAtMs: number | null;
}

/** The settings of a rule to be created, with the defaults of docs/contract/ingestion.md 5.4. */
export function newRuleSettings(body: NewCaptureRule): RuleSettings {
  return {
    name: body.name,
    description: body.description ?? null,
    isEnabled: body.enabled ?? true,
    action: body.action,
    matcher: matcherWithLists(body.matcher),
    sampleRate: body.sample_rate ?? null,
    sampleEventClass: body.sample_event_class ?? null,
    expiresAtMs: readExpiry(body.expires_at ?? null),
  };
}

/**
 * Settings with a change applied: named fields are replaced, the matcher as a whole. Leaving `sample` clears the
 * sample fields that the change does not name (docs/contract/ingestion.md 5.4).
 */
export function patchedSettings(settings: RuleSettings, patch: CaptureRulePatch): RuleSettings {
  const action = patch.action ?? settings.action;
  const leavesSample = settings.action === 'sample' && action !== 'sample';
  return {
    name: patch.name ?? settings.name,
    description: patch.description === undefined ? settings.description : patch.description,
    isEnabled: patch.enabled ?? settings.isEnabled,
    action,
    matcher: patch.matcher === undefined ? settings.matcher : matcherWithLists(patch.matcher),
    sampleRate: replaced(patch.sample_rate, leavesSample ? null : settings.sampleRate),
    sampleEventClass: replaced(patch.sample_event_class, leavesSample ? null : settings.sampleEventClass),
    expiresAtMs: patch.expires_at === undefined ? settings.expiresAtMs : readExpiry(patch.expires_at),
  };
}

/** Returns a matcher in the form in which it is stored and shown: a request can name one runtime as a text. */
function matcherWithLists({ runtime, ...others }: CaptureMatcherRequest): CaptureMatcher {
  if (runtime === undefined) return others;
  return { ...others, runtime: typeof runtime === 'string' ? [runtime] : runtime };
}

/** Absent keeps the value, null is a value. */
function replaced<Value>(given: Value | undefined, kept: Value): Value {
  return given === undefined ? kept : given;
}

/** Milliseconds since the epoch; the schema has seen that it is a time. */
export function readExpiry(text: string | null): number | null {
  return text === null ? null : parseRequestTimestamp(text);
}

/** A part of a rule that contradicts another: a JSON pointer into the body that set it, and words. */
interface RuleFault {
  pointer: string;
  words: string;
}

/** The first fault of docs/contract/ingestion.md 5.4 that no schema can state: parts of a rule that do not agree. */
export function findRuleFault({
  action,
  matcher,
  sampleRate,
  sampleEventClass,
}: RuleSettings): RuleFault | null {
  const isSample = action === 'sample';
  const sampleWords = isSample ? 'is needed to sample' : 'is for the action sample only';
  if ((sampleRate !== null) !== isSample) return { pointer: '/sample_rate', words: sampleWords };
  if ((sampleEventClass !== null) !== isSample) return { pointer: '/sample_event_class', words: sampleWords };
  if (!isNarrowing(matcher)) return { pointer: '/matcher', words: 'must have a key besides event_types' };
  if (!saysWhichResource(matcher)) {
    return { pointer: '/matcher', words: 'must have resource_url or fingerprint for resource_error' };
  }
  const badRange = (matcher.status_ranges ?? []).findIndex(({ start, end }) => start > end);
  if (badRange === -1) return null;
  return { pointer: `/matcher/status_ranges/${badRange}`, words: 'has a start above its end' };
}

/** The type of an event alone would meet nearly everything. */
function isNarrowing(matcher: CaptureMatcher): boolean {
  return Object.keys(matcher).some((key) => key !== 'event_types');
}

function saysWhichResource(matcher: CaptureMatcher): boolean {
  return (
    matcher.browser_event_kind !== 'resource_error' ||
    matcher.resource_url !== undefined ||
    matcher.fingerprint !== undefined
  );
}

/** The weight of each key in a rule's score (docs/contract/ingestion.md 5.2); URL matchers by their own keys. */
const KEY_SCORES: ReadonlyMap<string, number> = new Map<keyof CaptureMatcher, number>([
  ['fingerprint', 1000],
  ['status_codes', 150],
  ['browser_event_kind', 100],
  ['browser_event_opaque', 100],
  ['error_name', 70],
  ['message_equals', 60],
  ['message_contains', 50],
  ['bot_family', 45],
  ['first_party', 40],
  ['client_kind', 35],
  ['services', 30],
  ['environments', 20],
  ['runtime', 10],
  ['event_types', 5],
]);
const URL_KEY_SCORES: ReadonlyMap<string, number> = new Map([
  ['host', 250],
  ['path_equals', 200],
  ['host_suffix', 90],
  ['path_prefix', 80],
]);

/** The sum by which rules are ordered: the narrowest decides. */
export function matcherScore(matcher: CaptureMatcher): number {
  return (
    sumOf(matcher, KEY_SCORES) +
    sumOf(matcher.resource_url, URL_KEY_SCORES) +
    sumOf(matcher.request_url, URL_KEY_SCORES)
  );
}

function sumOf(keyed: object | undefined, scores: ReadonlyMap<string, number>): number {
  return Object.keys(keyed ?? {}).reduce((sum, key) => sum + (scores.get(key) ?? 0), 0);
}

/**
 * Sorts rules into their order of evaluation: score descending, then the later update, then the id
 * (docs/contract/ingestion.md 5.3).
 */
export function inEvaluationOrder<
  Rule extends { ruleId: string; matcher: CaptureMatcher; updatedAtMs: number },
>(rules: readonly Rule[]): Rule[] {
  return rules
    .map((rule) => ({ rule, score: matcherScore(rule.matcher) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.rule.updatedAtMs - a.rule.updatedAtMs ||
        (a.rule.ruleId < b.rule.ruleId ? -1 : 1),
    )
    .map(({ rule }) => rule);
}
