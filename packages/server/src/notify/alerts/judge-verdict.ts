import type { AlertVerdictWord } from '@culprit/contract/alerts/alert-verdicts';
import { CONDITION_LABEL } from './alert-facts.ts';
import type { MissingTarget } from './find-targets.ts';
import { type EnabledRule, lifecycleWord, mismatchOf, type Transition } from './match-rules.ts';
import type { JudgedDelivery } from './verdicts.queries.ts';

/** A rule with the times at which it was created and changed. */
export type DatedRule = EnabledRule & { createdAtMs: number; updatedAtMs: number };

/** The judgement of a rule on a transition. */
interface Verdict {
  word: AlertVerdictWord;
  detail: string;
  alertDeliveryId?: string;
}

/** The facts of a transition, and the present state of a rule's target. */
export interface Past {
  /** The evaluation found that the allowance was used up. */
  wasRefused: boolean;
  wasSnoozed: boolean;
  fitsQuery: boolean;
  /** Why the rule has no target; null if it has one. */
  missing: MissingTarget | null;
  /** The time of the message whose cooldown ran. */
  cooledBy: number | null;
  /** The time at which the rule reported last that its threshold was reached. */
  reachedBefore: number | null;
}

export function sentVerdict({ alertDeliveryId, status, lastError, isJoined }: JudgedDelivery): Verdict {
  const state = status === 'failed' && lastError !== null ? `failed (${lastError})` : status;
  return isJoined
    ? {
        word: 'joined',
        detail: `It joined a message that was waiting already; that is ${state}.`,
        alertDeliveryId,
      }
    : { word: 'sent', detail: `A message was created; it is ${state}.`, alertDeliveryId };
}

/** Why a rule sent nothing, in the order of the evaluation; what it was before a change is not known. */
export function verdictOf(rule: DatedRule, transition: Transition, past: Past): Verdict {
  const { incident, triggeredAt } = transition.facts;
  const atMs = Date.parse(triggeredAt);
  if (past.wasRefused) return { word: 'allowance', detail: 'The messages of this month were used up.' };
  if (past.wasSnoozed) return { word: 'snoozed', detail: 'The incident was snoozed.' };
  if (rule.createdAtMs > atMs) return { word: 'created_later', detail: 'The rule was created later.' };
  const isChanged = rule.updatedAtMs > atMs;
  const now = (word: AlertVerdictWord, detail: string): Verdict => ({
    word,
    detail: isChanged ? `${detail} The rule was changed after that.` : detail,
  });
  if (!rule.isEnabled) return now('disabled', 'The rule is disabled.');
  const isReached = lifecycleWord(rule, transition) !== null;
  // Every transition of an incident can reach a threshold.
  if (!isReached && rule.threshold === null) {
    return now('not_this_condition', `The rule is about: ${CONDITION_LABEL[rule.condition]}.`);
  }
  const mismatch = mismatchOf(rule, transition);
  switch (mismatch) {
    case 'no_target':
      return now(mismatch, 'The rule has no target.');
    case 'other_service':
      return now(mismatch, `The service was ${incident.serviceName}, which the rule leaves out.`);
    case 'other_environment':
      return now(mismatch, `The environment was ${incident.environment}, which the rule leaves out.`);
    case 'below_severity':
      return now(
        mismatch,
        `The severity was ${incident.severity}; the rule needs ${rule.severityMin} or above.`,
      );
    case null:
      break;
  }
  if (!past.fitsQuery) return now('query_not_matched', `The query does not match: ${rule.query}`);
  if (!isReached && rule.threshold !== null) {
    const wanted = thresholdWords(rule.threshold);
    if (past.reachedBefore === null)
      return now('below_threshold', `The rule needs ${wanted}, which it had not.`);
    const minutes = Math.round((atMs - past.reachedBefore) / 60_000);
    return now('not_this_condition', `The rule needs ${wanted}, and reported that ${minutes} min before.`);
  }
  if (past.missing === 'plan') return now('plan', 'The plan does not include connected Slack channels.');
  if (past.missing === 'disabled_target') {
    return now(
      'disabled_target',
      'The Slack channel is inactive, the issue tracker is disconnected, or this server sends no mail.',
    );
  }
  if (isChanged)
    return { word: 'changed_since', detail: 'The rule was changed after that; it would match now.' };
  if (past.cooledBy !== null) {
    const minutes = Math.round((atMs - past.cooledBy) / 60_000);
    const cooldown = Math.round(rule.cooldownSeconds / 60);
    return {
      word: 'cooldown',
      detail: `It sent a message ${minutes} min before; its cooldown is ${cooldown} min.`,
    };
  }
  return {
    word: 'not_sent',
    detail:
      rule.query === null
        ? 'It is not evaluated yet.'
        : 'It is not evaluated yet, or its query did not match then.',
  };
}

function thresholdWords(threshold: NonNullable<EnabledRule['threshold']>): string {
  return 'users' in threshold
    ? `${threshold.users} affected users`
    : `${threshold.occurrences} events within ${threshold.windowMinutes} min`;
}
