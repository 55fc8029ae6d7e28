import type { Incident } from '@culprit/contract/incidents/incidents';

/** A priority and where it comes from, such as `high (new, spiking)`. */
export function priorityText({ triage: { priority } }: Pick<Incident, 'triage'>): string {
  const { level, reasons, is_manual: isManual } = priority;
  const because = isManual ? 'set by hand' : reasons.join(', ').replaceAll('_', ' ');
  return because === '' ? level : `${level} (${because})`;
}

/** Until when an incident is silent; null: it is awake. */
export function snoozeText({ triage: { snooze } }: Pick<Incident, 'triage'>): string | null {
  if (snooze === null) return null;
  const { until, until_count: count, until_users: users, until_release: isRelease } = snooze;
  const or = [
    ...(count === null ? [] : [`${count} occurrences`]),
    ...(users === null ? [] : [`${users} users`]),
    ...(isRelease ? ['the next deploy'] : []),
  ];
  return [`until ${until}`, ...or].join(' or ');
}
