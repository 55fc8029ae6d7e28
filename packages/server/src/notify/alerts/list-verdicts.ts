import {
  type AlertVerdict,
  type AlertVerdictWord,
  type listAlertVerdicts as endpoint,
  VERDICTS_MAX,
} from '@culprit/contract/alerts/alert-verdicts';
import { prefixedId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { CONDITION_LABEL } from './alert-facts.ts';
import { type FitQueries, keepFitting } from './alert-queries.ts';
import { findRules } from './alert-rules.queries.ts';
import { findTargets, openedRule } from './find-targets.ts';
import { lifecycleWord, mismatchOf, notificationKeyOf, type Transition } from './match-rules.ts';
import { findTransitions } from './transitions.queries.ts';
import { findCooldowns, findJudged, findJudgedDeliveries, type JudgedDelivery } from './verdicts.queries.ts';

type Rule = Awaited<ReturnType<typeof findRules>>[number];

/** The judgement of a rule on a transition. */
interface Verdict {
  word: AlertVerdictWord;
  detail: string;
  alertDeliveryId?: string;
}

/**
 * Why each rule sent something about an incident or did not, judged anew by the evaluation of
 * docs/contract/notifications.md 1.7 over the ledger and what was sent (1.21).
 */
export async function listVerdicts(
  runtime: Runtime,
  { access }: ApiRequest<typeof endpoint>,
  fitQueries: FitQueries,
): Promise<AlertVerdict[]> {
  const { projectId, organizationId, recordId: incidentId } = access;
  return await runtime.database.transaction(async (transaction) => {
    const judged = await findJudged(transaction, incidentId);
    const ids = judged.map(({ lifecycleId }) => lifecycleId);
    const found = await findTransitions(transaction, projectId, ids, { withSnoozed: true });
    const rules = await findRules(transaction, projectId);
    const pairs = (found?.transitions ?? [])
      .reverse()
      .flatMap((transition) => rules.map((rule) => ({ rule, transition })))
      .slice(0, VERDICTS_MAX);
    const alertIds = rules.map(({ alertId }) => alertId);
    const sent = await findJudgedDeliveries(transaction, alertIds, incidentId);
    const targets = await findTargets(
      transaction,
      runtime,
      organizationId,
      rules.map((rule) => openedRule(runtime.keys, rule)),
    );
    const fitting = new Set(
      await keepFitting(pairs, ({ rule, transition }) => ({ rule, incidentId: transition.incidentId }), {
        database: transaction,
        projectId,
        fitQueries,
      }),
    );
    const snoozed = new Set(
      judged.flatMap(({ lifecycleId, wasSnoozed }) => (wasSnoozed ? [lifecycleId] : [])),
    );
    const cooldowns = await findCooldowns(
      transaction,
      pairs.map(({ rule, transition }) => ({
        alertId: rule.alertId,
        notificationKey: notificationKeyOf(lifecycleWord(rule, transition) ?? rule.condition, transition),
        cooldownSeconds: rule.cooldownSeconds,
        at: transition.facts.triggeredAt,
      })),
    );
    return pairs.map((pair, index) => {
      const { rule, transition } = pair;
      const { triggeredAt, lifecycle } = transition.facts;
      const delivery = sent.find(
        (each) =>
          each.alertId === rule.alertId && each.triggeredAt === triggeredAt && each.lifecycle === lifecycle,
      );
      const { word, detail, alertDeliveryId } =
        delivery === undefined
          ? verdictOf(rule, transition, {
              wasSnoozed: snoozed.has(transition.lifecycleId),
              fitsQuery: fitting.has(pair),
              hasTarget:
                targets.has(rule.alertId) &&
                (rule.channel !== 'email' || runtime.signIn.mailTransport !== 'off'),
              cooledBy: cooldowns[index] ?? null,
            })
          : sentVerdict(delivery);
      return {
        at: triggeredAt,
        transition: transition.lifecycle,
        alert_id: prefixedId('alt', rule.alertId),
        alert_name: rule.name,
        channel: rule.channel,
        verdict: word,
        detail,
        alert_delivery_id: alertDeliveryId ?? null,
      };
    });
  });
}

function sentVerdict({ alertDeliveryId, status, lastError, isJoined }: JudgedDelivery): Verdict {
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
export function verdictOf(
  rule: Rule,
  transition: Transition,
  past: { wasSnoozed: boolean; fitsQuery: boolean; hasTarget: boolean; cooledBy: number | null },
): Verdict {
  const { incident, triggeredAt } = transition.facts;
  const atMs = Date.parse(triggeredAt);
  if (past.wasSnoozed) return { word: 'snoozed', detail: 'The incident was snoozed.' };
  if (rule.createdAtMs > atMs) return { word: 'created_later', detail: 'The rule was created later.' };
  const isChanged = rule.updatedAtMs > atMs;
  const now = (word: AlertVerdictWord, detail: string): Verdict => ({
    word,
    detail: isChanged ? `${detail} The rule was changed after that.` : detail,
  });
  if (!rule.isEnabled) return now('disabled', 'The rule is disabled.');
  if (lifecycleWord(rule, transition) === null) {
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
  if (!past.hasTarget) {
    return now(
      'disabled_target',
      'The Slack channel is inactive, the plan does not include it, the issue tracker is disconnected, or this server sends no mail.',
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
        ? 'It is not evaluated yet, or the allowance of alerts was used up.'
        : 'It is not evaluated yet, its query did not match then, or the allowance of alerts was used up.',
  };
}
