import type { AlertCondition, AlertScope } from '@culprit/contract/alerts';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { AlertFacts, AlertLifecycle } from './alert-facts.ts';
import type { AlertRule } from './alert-rule.ts';

/** A transition of an incident, with what rules and keys ask of it. Ids are bare UUIDs. */
export interface Transition {
  lifecycle: AlertLifecycle;
  incidentId: string;
  serviceId: string;
  /** 64 lower-case hex digits. */
  fingerprint: string;
  /** The fingerprint kind `window` of docs/contract/incidents.md 5.4.2: an opaque browser error. */
  isOpaqueWindowError: boolean;
  /** Of a regression: which one of the incident's it is, from 1. */
  regressionNumber: number;
  /** Of a spike: when it was detected, ISO 8601. */
  spikeDetectedAt: string | null;
  /** All but the condition, which is each rule's. */
  facts: Omit<AlertFacts, 'condition'>;
}

/** An enabled rule of the project. The id is a bare UUID. */
export interface EnabledRule extends AlertRule {
  alertId: string;
}

/** A rule that a transition satisfies, with the keys of its delivery. */
export interface Match {
  rule: EnabledRule;
  transition: Transition;
  notificationKey: string;
  dedupeKey: string;
}

/**
 * The rules that a transition satisfies: steps 1 to 4 and 6 of docs/contract/notifications.md 1.7. Whether a connected
 * destination may be used is the caller's question.
 */
export function matchRules(transition: Transition, rules: readonly EnabledRule[]): Match[] {
  return rules.flatMap((rule) => {
    const word = lifecycleWord(rule, transition);
    if (word === null || !isWanted(rule, transition)) return [];
    return [
      {
        rule,
        transition,
        notificationKey: `${word}|${subjectOf(transition)}`,
        dedupeKey: `${word}${occasionOf(transition)}`,
      },
    ];
  });
}

/** Under which word a rule's condition is satisfied; null when it is not. */
function lifecycleWord(
  { condition, scope }: Pick<AlertRule, 'condition' | 'scope'>,
  { lifecycle, facts }: Transition,
): AlertCondition | null {
  if (condition === lifecycle) return condition;
  if (condition === 'severity_threshold') return isInScope(scope, lifecycle) ? lifecycle : null;
  const isAfterDeploy = lifecycle === 'incident_regressed' && facts.deploy !== null;
  return condition === 'regression_after_deploy' && isAfterDeploy ? condition : null;
}

function isInScope(scope: AlertScope | null, lifecycle: AlertLifecycle): boolean {
  return lifecycle !== 'error_spike' && (scope === 'both' || scope === lifecycle);
}

function isWanted(rule: AlertRule, { serviceId, facts }: Transition): boolean {
  return (
    Object.keys(rule.config).length > 0 &&
    (rule.serviceId === null || rule.serviceId === serviceId) &&
    isNamed(rule.services, facts.incident.serviceName) &&
    isNamed(rule.environments, facts.incident.environment) &&
    (rule.severityMin === null ||
      SEVERITIES.indexOf(facts.incident.severity) >= SEVERITIES.indexOf(rule.severityMin))
  );
}

/** What a cooldown is about (docs/contract/notifications.md 1.9). */
function subjectOf({ isOpaqueWindowError, fingerprint, serviceId, facts }: Transition): string {
  const subject = isOpaqueWindowError ? 'opaque:window_error' : `fp:${fingerprint}`;
  return `${subject}:${serviceId}:${facts.incident.environment}`;
}

/** What tells one occasion of a kind from the next (docs/contract/notifications.md 1.10). */
function occasionOf({ lifecycle, regressionNumber, spikeDetectedAt }: Transition): string {
  switch (lifecycle) {
    case 'new_incident':
      return '';
    case 'incident_regressed':
      return `:${regressionNumber}`;
    case 'error_spike':
      return `:${spikeDetectedAt}`;
  }
}

/**
 * Whether a name is among those of a rule (docs/contract/notifications.md 1.7): compared exactly, `*` at the end of a
 * pattern stands for any rest, and `!` before it leaves out. Only what is left out: everything else is in.
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
