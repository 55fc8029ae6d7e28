import type { AlertCondition, AlertScope, AlertTrigger } from '@culprit/contract/alerts/alerts';
import type { Severity } from '@culprit/evidence/events/normalize/event';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { AlertFacts, AlertFollowUp, AlertLifecycle } from './alert-facts.ts';
import type { AlertRule } from './alert-rule.ts';

/** A transition of an incident, with what rules and keys need of it. Ids are bare UUIDs. */
export interface Transition<Lifecycle extends AlertLifecycle = AlertTrigger> {
  lifecycle: Lifecycle;
  /** The row of the ledger; 0 for a test. */
  lifecycleId: number;
  incidentId: string;
  serviceId: string;
  /** 64 lower-case hex digits. */
  fingerprint: string;
  /** The fingerprint kind `window` of docs/contract/incidents.md 5.4.2: an opaque browser error. */
  isOpaqueWindowError: boolean;
  /** Only for a regression: its number among those of the incident, from 1. */
  regressionNumber: number;
  /** Only for a spike: the time at which it was detected, ISO 8601. */
  spikeDetectedAt: string | null;
  /** Only for a threshold: the one rule that it is about. A bare UUID. */
  alertId: string | null;
  /** All but the condition, which is each rule's. */
  facts: Omit<AlertFacts, 'condition'>;
}

/** An enabled rule of the project. The id is a bare UUID. */
export interface EnabledRule extends AlertRule {
  alertId: string;
  /** Its query asks for what is only known once tags are counted. */
  isJudgedLate: boolean;
}

/** A rule that a transition satisfies, with the keys of its delivery. */
export interface Match {
  rule: EnabledRule;
  transition: Transition<AlertLifecycle>;
  notificationKey: string;
  dedupeKey: string;
}

/**
 * The rules that a transition satisfies: steps 1 to 4 and 6 of docs/contract/notifications.md 1.7. Whether the incident
 * fits their query, and whether a connected destination may be used, are the caller's questions.
 */
export function matchRules(
  transition: Transition,
  rules: readonly EnabledRule[],
): (Match & { transition: Transition })[] {
  return rules.flatMap((rule) => {
    const word = lifecycleWord(rule, transition);
    if (word === null || mismatchOf(rule, transition) !== null) return [];
    return [
      {
        rule,
        transition,
        notificationKey: notificationKeyOf(word, transition),
        dedupeKey: `${word}${occasionOf(transition)}`,
      },
    ];
  });
}

/** The page of an incident that a rule sent, as the text of a set. Ids are bare UUIDs. */
export function pageOf(
  { alertId }: Pick<EnabledRule, 'alertId'>,
  { incidentId }: Pick<Transition, 'incidentId'>,
): string {
  return `${alertId} ${incidentId}`;
}

/**
 * Returns the follow-ups of messages that were sent (docs/contract/notifications.md 1.20). No cooldown delays them: a
 * page would stay open.
 * @param open `pageOf` of the pages that are open
 */
export function matchFollowUps(
  transition: Transition<AlertFollowUp>,
  rules: readonly EnabledRule[],
  open: ReadonlySet<string>,
): Match[] {
  const { lifecycle } = transition;
  return rules
    .filter((rule) => isFollowed(rule, lifecycle) && open.has(pageOf(rule, transition)))
    .map((rule) => ({
      rule: { ...rule, cooldownSeconds: 0 },
      transition,
      notificationKey: notificationKeyOf(lifecycle, transition),
      dedupeKey: `${lifecycle}:${transition.lifecycleId}`,
    }));
}

/** A template that says whether it opens or closes. */
const NAMES_ACTION = /\{\{ {0,8}(?:action|state) {0,8}\}\}/;

/** Returns true if a rule sends a further message when an incident of its alerts is resolved, or assigned. */
export function isFollowed(
  { channel, config }: Pick<AlertRule, 'channel' | 'config'>,
  lifecycle: AlertFollowUp,
): boolean {
  if (channel === 'pagerduty') return true;
  return channel === 'template' && lifecycle === 'incident_resolved' && NAMES_ACTION.test(config.body ?? '');
}

/** Under which word a rule's condition is satisfied; null when it is not. */
export function lifecycleWord(
  { alertId, condition, scope }: Pick<EnabledRule, 'alertId' | 'condition' | 'scope'>,
  { lifecycle, alertId: about, facts }: Transition,
): AlertCondition | null {
  if (condition === lifecycle) return about === null || about === alertId ? condition : null;
  if (condition === 'severity_threshold') return isInScope(scope, lifecycle) ? lifecycle : null;
  const isAfterDeploy = lifecycle === 'incident_regressed' && facts.deploy !== null;
  return condition === 'regression_after_deploy' && isAfterDeploy ? condition : null;
}

function isInScope(scope: AlertScope | null, lifecycle: AlertTrigger): boolean {
  const isInLifecycle = lifecycle === 'new_incident' || lifecycle === 'incident_regressed';
  return isInLifecycle && (scope === 'both' || scope === lifecycle);
}

/** The reason why a rule sends nothing about a transition that satisfies its condition. */
type Mismatch = 'no_target' | 'other_service' | 'other_environment' | 'below_severity';

/** The first thing by which a transition does not suit a rule; null when nothing does. */
export function mismatchOf(rule: AlertRule, { serviceId, facts }: Transition): Mismatch | null {
  return placeMismatchOf(rule, { ...facts.incident, serviceId });
}

/** The same of an incident that has no transition yet. */
export function placeMismatchOf(
  rule: AlertRule,
  incident: { serviceId: string; serviceName: string; environment: string; severity: Severity },
): Mismatch | null {
  const { serviceId, serviceName, environment, severity } = incident;
  if (Object.keys(rule.config).length === 0) return 'no_target';
  if (rule.serviceId !== null && rule.serviceId !== serviceId) return 'other_service';
  if (!isNamed(rule.services, serviceName)) return 'other_service';
  if (!isNamed(rule.environments, environment)) return 'other_environment';
  const { severityMin } = rule;
  const isBelow = severityMin !== null && SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(severityMin);
  return isBelow ? 'below_severity' : null;
}

/** Returns the subject of a cooldown (docs/contract/notifications.md 1.9). */
export function notificationKeyOf(
  word: AlertCondition | AlertFollowUp,
  { isOpaqueWindowError, fingerprint, serviceId, facts }: Transition<AlertLifecycle>,
): string {
  const subject = isOpaqueWindowError ? 'opaque:window_error' : `fp:${fingerprint}`;
  return `${word}|${subject}:${serviceId}:${facts.incident.environment}`;
}

/** Returns the text that distinguishes one occasion of a kind from the next (docs/contract/notifications.md 1.10). */
function occasionOf({ lifecycle, lifecycleId, regressionNumber, spikeDetectedAt }: Transition): string {
  switch (lifecycle) {
    case 'new_incident':
      return '';
    case 'incident_regressed':
      return `:${regressionNumber}`;
    case 'error_spike':
      return `:${spikeDetectedAt}`;
    case 'occurrence_threshold':
    case 'snooze_ended':
      return `:${lifecycleId}`;
  }
}

/**
 * Returns true if a name is among those of a rule (docs/contract/notifications.md 1.7): compared exactly, `*` at the
 * end of a pattern matches any rest, and `!` before it excludes. If there are only exclusions, every other name is
 * included.
 */
function isNamed(patterns: readonly string[] | null, name: string): boolean {
  if (patterns === null) return true;
  const left = patterns.filter((pattern) => pattern.startsWith('!'));
  const taken = patterns.filter((pattern) => !pattern.startsWith('!'));
  return (
    !left.some((pattern) => fits(pattern.slice(1), name)) &&
    (taken.length === 0 || taken.some((pattern) => fits(pattern, name)))
  );
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
