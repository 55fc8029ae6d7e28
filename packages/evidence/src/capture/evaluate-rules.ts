import { randomUUID } from 'node:crypto';
import type { CaptureMatcher, CaptureRule } from '@culprit/contract/capture/capture';
import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { inEvaluationOrder } from './capture-rule.ts';
import { compileMatcher, type Matches } from './match-rule.ts';
import type { RuleFacts } from './rule-facts.ts';
import { samplingNumbers } from './sampling.ts';

/** The properties of an enabled rule that evaluation needs. */
export interface ActiveRule {
  ruleId: string;
  action: CaptureRule['action'];
  matcher: CaptureMatcher;
  sampleRate: number | null;
  sampleEventClass: CaptureRule['sample_event_class'];
  /** Milliseconds since the epoch. */
  expiresAtMs: number | null;
  updatedAtMs: number;
}

/**
 * The effect of the deciding rule on an event: `kept` leaves its class unchanged, the second outcome keeps it only as a
 * context signal.
 */
export interface RuleDecision {
  ruleId: string;
  outcome: 'kept' | 'demoted' | 'dropped' | 'sampled_out';
}

/** The rules of one project, ready to be asked for each event. */
export interface CompiledRules {
  /** True if a rule that is active at this moment compares fingerprints. */
  needsFingerprints(nowMs: number): boolean;
  /** The decision of the first rule that matches (docs/contract/ingestion.md 5.3); null when none does. */
  decide(facts: RuleFacts, nowMs: number): RuleDecision | null;
}

interface CompiledRule {
  expiresAtMs: number;
  needsFingerprint: boolean;
  matches: Matches;
  decide: (eventId: string | null) => RuleDecision;
}

/** @param projectId as clients know it, `proj_…`: they sample by it too */
export function compileRules(projectId: string, rules: readonly ActiveRule[]): CompiledRules {
  const compiled = inEvaluationOrder(rules).map((rule): CompiledRule => {
    const { ruleId, matcher, expiresAtMs } = rule;
    return {
      expiresAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY,
      needsFingerprint: matcher.fingerprint?.version === FINGERPRINT_VERSION,
      matches: compileMatcher(matcher),
      decide: compileDecision(rule, samplingNumbers(projectId, ruleId)),
    };
  });
  return {
    needsFingerprints: (nowMs) => compiled.some((rule) => rule.needsFingerprint && rule.expiresAtMs > nowMs),
    decide(facts, nowMs) {
      for (const rule of compiled) {
        if (rule.expiresAtMs > nowMs && rule.matches(facts)) return rule.decide(facts.event.eventId);
      }
      return null;
    },
  };
}

function compileDecision(
  { ruleId, action, sampleRate, sampleEventClass }: ActiveRule,
  samplingNumber: (eventId: string) => number,
): CompiledRule['decide'] {
  if (action === 'drop') return () => ({ ruleId, outcome: 'dropped' });
  if (action === 'demote') return () => ({ ruleId, outcome: 'demoted' });
  const rate = sampleRate ?? 1;
  const kept = sampleEventClass === 'context' ? 'demoted' : 'kept';
  // An event without an id cannot be recognized when it is sent again, so chance decides each time.
  return (eventId) => ({
    ruleId,
    outcome: samplingNumber(eventId ?? randomUUID()) < rate ? kept : 'sampled_out',
  });
}
