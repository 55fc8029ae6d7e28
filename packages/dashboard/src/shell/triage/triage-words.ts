import type { Incident } from '@culprit/contract/incidents/incidents';
import { absoluteTime } from '../../format/times.ts';

type Priority = Incident['triage']['priority'];

export const PRIORITY_WORDS: Readonly<Record<Priority['level'], string>> = {
  urgent: 'Urgent',
  high: 'High',
  normal: 'Normal',
  low: 'Low',
};

const REASON_WORDS: Readonly<Record<Priority['reasons'][number], string>> = {
  critical: 'critical severity',
  regressed: 'regressed',
  spiking_for_many: 'spiking for many users',
  escalated: 'escalated',
  spiking: 'spiking',
  new: 'new',
  test_environment: 'test environment',
  opaque_error: 'no details from the browser',
  browser_noise: 'known browser noise',
};

/** Why an incident has its level, as a sentence without a verb. */
export function priorityReason({ reasons, is_manual: isManual }: Priority): string {
  if (isManual) return 'Set by hand';
  return reasons.length === 0
    ? 'No rule applies'
    : `By rule: ${reasons.map((each) => REASON_WORDS[each]).join(', ')}`;
}

/** Until when an incident is silent. */
export function snoozeWords(snooze: NonNullable<Incident['triage']['snooze']>): string {
  const { until, until_count: count, until_users: users, until_release: isRelease } = snooze;
  const or = [
    ...(count === null ? [] : [`${count} events`]),
    ...(users === null ? [] : [`${users} users`]),
    ...(isRelease ? ['the next deploy'] : []),
  ];
  return [`until ${absoluteTime(until)}`, ...or].join(' or ');
}

/** Two letters for a person or a team. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '?', second = ''] = words;
  const letters = second === '' ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join('').toUpperCase();
}
