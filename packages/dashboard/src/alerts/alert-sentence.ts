import type { AlertCondition, AlertScope } from '@culprit/contract/alerts/alerts';
import { plural } from '../format/numbers.ts';
import type { Sentence } from '../ui/sentence.tsx';

/** The fields of a rule that decide what it does, with names in the place of ids. */
export interface SpokenRule {
  condition: AlertCondition;
  /** Only for the threshold; null is both. */
  scope: AlertScope | null;
  /** Only for `occurrence_threshold`. */
  threshold: { counted: 'events' | 'users'; amount: number; windowMinutes: number };
  severityMin: 'low' | 'medium' | 'high' | 'critical' | null;
  /** Names, those with `!` left out; none is every one (docs/contract/notifications.md 1.3). */
  services: readonly string[];
  environments: readonly string[];
  /** Null: every incident. */
  query: string | null;
  /** The action, such as `{ verb: 'send a mail to', whom: 'oncall@example.com' }`; null if there is no target. */
  target: { verb: string; whom: string } | null;
  cooldownSeconds: number;
  isEnabled: boolean;
}

type Part = Sentence[number];

/** Says what a rule does (docs/contract/notifications.md 1.7). */
export function alertSentence(rule: SpokenRule): Sentence {
  const { target } = rule;
  if (target === null)
    return [...when(rule), ...fitting(rule.query), ', nothing is sent: the rule has no target.'];
  return [
    ...when(rule),
    ...fitting(rule.query),
    `, ${target.verb} `,
    { chosen: target.whom },
    ...pause(rule.cooldownSeconds),
    rule.isEnabled ? '.' : '. It is disabled.',
  ];
}

function fitting(query: string | null): Part[] {
  return query === null ? [] : [' and matches ', { chosen: query }];
}

function when({ condition, scope, threshold, severityMin, services, environments }: SpokenRule): Part[] {
  const severity = severityPart(severityMin);
  const place: Part[] = [
    ...named(services, '', 'service'),
    ...(environments.length === 0 ? [] : named(environments, 'the environment ', 'environment')),
  ];
  const appears: Part[] = ['a ', { chosen: 'new incident' }, ...severity, ' appears'];
  const comesBack: Part[] = [
    'a ',
    { chosen: 'resolved incident' },
    ...severity,
    ' ',
    { chosen: 'comes back' },
  ];
  switch (condition) {
    case 'new_incident':
      return ['When ', ...appears, ...place];
    case 'incident_regressed':
      return ['When ', ...comesBack, ...place];
    case 'error_spike':
      return ['When an incident', ...severity, ' ', { chosen: 'spikes' }, ...place];
    case 'regression_after_deploy':
      return ['When ', ...comesBack, ...place, ' within ', { chosen: '24 hours after a deploy' }];
    case 'occurrence_threshold':
      return ['When an incident', ...severity, ...place, ' ', ...reaches(threshold)];
    case 'snooze_ended':
      return ['When a snoozed incident', ...severity, ' ', { chosen: 'wakes early' }, ...place];
    case 'severity_threshold':
      if (scope === 'new_incident') return ['When ', ...appears, ...place];
      if (scope === 'incident_regressed') return ['When ', ...comesBack, ...place];
      return [
        'When a ',
        { chosen: 'new incident' },
        ...severity,
        ' appears or a ',
        { chosen: 'resolved one comes back' },
        ...place,
      ];
    default:
      return [`When ${String(condition)} happens`, ...severity, ...place];
  }
}

/** "has 100 events within 5 minutes", "affects 20 users". */
function reaches({ counted, amount, windowMinutes }: SpokenRule['threshold']): Part[] {
  if (counted === 'users') return ['affects ', { chosen: plural(amount, 'user') }];
  return [
    'has ',
    { chosen: plural(amount, 'event') },
    ' within ',
    { chosen: everySpan(windowMinutes * 60).replace('every ', '') },
  ];
}

/** " in a, b or c", or " in any service but d". */
function named(patterns: readonly string[], before: string, noun: string): Part[] {
  const left = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const taken = patterns.filter((pattern) => !pattern.startsWith('!'));
  return [
    ...(taken.length === 0 ? [' in ', { chosen: `any ${noun}` }] : [` in ${before}`, ...listed(taken)]),
    ...(left.length === 0 ? [] : [' but ', ...listed(left)]),
  ];
}

function listed(names: readonly string[]): Part[] {
  return names.flatMap((name, index): Part[] => {
    if (index === 0) return [{ chosen: name }];
    return [index === names.length - 1 ? ' or ' : ', ', { chosen: name }];
  });
}

const AT_LEAST: Readonly<Record<'medium' | 'high' | 'critical', string>> = {
  medium: 'Medium, High or Critical',
  high: 'High or Critical',
  critical: 'Critical',
};

/** Low lets every severity pass, as no threshold does. */
function severityPart(least: SpokenRule['severityMin']): Part[] {
  return least === null || least === 'low' ? [] : [' of severity ', { chosen: AT_LEAST[least] }];
}

function pause(seconds: number): Part[] {
  if (seconds === 0) return [', ', { chosen: 'every time' }];
  return [', at most ', { chosen: `once ${everySpan(seconds)}` }, ' for the same failure'];
}

const UNITS: readonly [seconds: number, one: string, many: string][] = [
  [604_800, 'a week', 'weeks'],
  [86_400, 'a day', 'days'],
  [3600, 'an hour', 'hours'],
  [60, 'a minute', 'minutes'],
];

/** "an hour", "every 5 minutes": a span of time after which something may happen again. */
export function everySpan(seconds: number): string {
  for (const [size, one, many] of UNITS) {
    if (seconds === size) return one;
    if (seconds % size === 0) return `every ${seconds / size} ${many}`;
  }
  return seconds === 1 ? 'a second' : `every ${seconds} seconds`;
}
